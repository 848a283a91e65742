import MailStore
import Models

/// Tasks that were done or cancelled while the mail of their delegation is in the outbox. The mail is still sent, or waits for
/// the user, and the run says so.
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
                let fate = mail.isHeld ? "is sent only after you confirm it" : "will be sent"
                return "the mail of task “\(todo.summary)” is in the outbox and \(fate)  "
                    + "(opus outbox discard \(DraftName.short(mail.name, among: [])))"
            case .added, .reopened, .startChanged, .movedList, .edited, .deleted: return nil
            }
        }
    }

    private struct QueuedMail {
        var name: MessageID
        /// It waits for the user, as after a crash.
        var isHeld: Bool

        /// nil: it does not wait in the outbox.
        init?(_ name: MessageID, _ state: Step.State?) {
            guard let state, [.planned, .ready].contains(state) else { return nil }
            self.name = name
            isHeld = state == .planned
        }
    }

    /// The mail in the outbox: that of a rule has the Message-ID of the delegation, a draft that the user sent its own one.
    private func queued(_ token: MessageID, _ accounts: [AccountID]) throws -> QueuedMail? {
        for account in accounts {
            let state = try store.runs.submission(of: token, account: account)?.step.state
            if let mail = QueuedMail(token, state) { return mail }
            let message = try store.messages.message(with: token, account: account)
            let drafts = try store.drafts.drafts(of: account).filter {
                $0.pushed?.token == token || (message != nil && $0.pushed?.message == message)
            }
            if let mail = drafts.lazy.compactMap({ QueuedMail($0.messageID, $0.submission?.state) }).first {
                return mail
            }
        }
        return nil
    }
}
