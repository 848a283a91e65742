import Accounts
import MIMEParser
import Models
import Planner
import Rules

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

/// The rules that a command applies.
public struct AppliedRules: Sendable {
    let library: RuleLibrary
    /// The ids of the rules; nil: all.
    var only: Set<String>?

    public init(_ library: RuleLibrary, only: Set<String>? = nil) {
        self.library = library
        self.only = only
    }
}

extension TriagePlanner {
    /// The inbox messages of these threads that the rules defer.
    func deferred(
        by rules: AppliedRules, in threads: [ThreadID], _ account: AccountID
    ) throws -> Set<EmailID> {
        var unlimited = SendAllowance(perHour: .max, perRecipient: .max, sent: 0, sentTo: [:])
        let plan = try plan(
            for: account, rules: rules.library, limit: nil, sending: &unlimited, threads: threads)
        return Set(
            plan.items.lazy.filter { item in
                item.decisions.contains { decision in
                    guard case .place(.deferUntil) = decision.action else { return false }
                    return rules.only?.contains(decision.rule) ?? true
                }
            }.map(\.message))
    }
}
