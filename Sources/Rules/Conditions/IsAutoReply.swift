import MIMEParser
import Models

/// `is:auto-reply`: an automatic reply.
extension ConditionEntry {
    static let isAutoReply = ConditionEntry(
        "is:auto-reply", "lists and machines", .state(.autoReply),
        "an out-of-office reply, or the acknowledgement of a ticket system", "is:auto-reply")
}

extension State {
    static let autoReply = State(
        name: "is:auto-reply", needs: .content, headerNames: AnswerKind.headerNames,
        holds: { Truth($0.isAutoReply) },
        seen: { $0.isAutoReply ? "an automatic reply" : "not an automatic reply" })
}

extension MessageSight {
    fileprivate var isAutoReply: Bool {
        switch AnswerKind(of: facts, asOf: zone.local(facts.date).date) {
        case .automaticReply: true
        case .human, .bounce, .receipt, .calendar, .list: false
        }
    }
}
