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
                guard let token = todo.delegatedMessageID, let mail = try queued(token, accounts) else {
                    return nil
                }
                return "the mail of task “\(todo.summary)” is in the outbox and will be sent  "
                    + "(opus outbox discard \(DraftName.short(mail, among: [])))"
            case .added, .reopened, .startChanged, .movedList, .edited, .deleted: return nil
            }
        }
    }

    /// The mail in the outbox: that of a rule has the Message-ID of the delegation, a draft that the user sent its own one.
    private func queued(_ token: MessageID, _ accounts: [AccountID]) throws -> MessageID? {
        for account in accounts {
            if isWaiting(try store.runs.submission(of: token, account: account)?.step.state) { return token }
            let message = try store.messages.message(with: token, account: account)
            let draft = try store.drafts.drafts(of: account).first {
                isWaiting($0.submission?.state)
                    && ($0.pushed?.token == token || (message != nil && $0.pushed?.message == message))
            }
            if let draft { return draft.messageID }
        }
        return nil
    }

    private func isWaiting(_ state: Step.State?) -> Bool { state == .planned || state == .ready }
}
