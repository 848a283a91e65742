import MailStore
import Models

/// Tasks that were done or cancelled while the mail of their delegation is in the outbox. The mail is still sent, and the run
/// says so.
struct MailStillSent: Sendable {
    let store: Store

    /// A line for each task, for users; contains untrusted text.
    func lines(_ changes: [TodoChange], of accounts: [AccountID]) throws -> [String] {
        try changes.compactMap { change in
            switch change {
            case .completed(let todo), .cancelled(let todo):
                guard let token = todo.delegatedMessageID, try isQueued(token, accounts) else { return nil }
                return "the mail of task “\(todo.summary)” is in the outbox and will be sent  "
                    + "(opus outbox discard \(DraftName.short(token, among: [])))"
            case .added, .reopened, .startChanged, .movedList, .edited, .deleted: return nil
            }
        }
    }

    private func isQueued(_ token: MessageID, _ accounts: [AccountID]) throws -> Bool {
        try accounts.contains { account in
            let state = try store.runs.submission(of: token, account: account)?.step.state
            return state == .planned || state == .ready
        }
    }
}
