import Accounts
import MIMEParser
import Models

/// Mail that brings deferred mail of its conversation back: mail of other people. Automatic replies and receipts do
/// not count.
struct WakingMail: Sendable {
    let workspace: Workspace
    let loader: FactLoader

    /// Whether the message can bring deferred mail back. Its writer must also take part in the conversation: see
    /// ``Company/wakes(_:by:)``.
    func isAnswer(_ message: MessageFacts, _ account: Account) throws -> Bool {
        let own = workspace.own(with: account)
        guard !message.from.contains(where: { own.contains($0) }) else { return false }
        return switch try loader.answerKind(of: message, ZoneClock(zone: workspace.timeZone)) {
        case .automaticReply, .receipt: false
        case .human, .bounce, .calendar, .list: true
        }
    }
}
