/// Facts of a message that a triage changes for the next one: rules that look at them can see what earlier ones did.
public struct ChangingFacts: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The open tasks of its conversation.
    public static let tasks = ChangingFacts(rawValue: 1)
    /// Its flags and labels.
    public static let marks = ChangingFacts(rawValue: 2)
    /// The other messages of its conversation.
    public static let thread = ChangingFacts(rawValue: 4)
}

extension ConditionTest {
    var changingFacts: ChangingFacts {
        switch kind {
        case .state(let state): state.changingFacts
        case .keyword: .marks
        case .taskList, .waited: .tasks
        case .thread, .count(.threadSize, _, _): .thread
        case .address, .text, .number, .count(.senderCount, _, _), .age, .time, .clock, .weekday, .mailbox,
            .authentication, .defined, .matched:
            []
        }
    }
}

extension State {
    fileprivate var changingFacts: ChangingFacts {
        switch self {
        case .unread, .read, .flagged, .answered, .draft: .marks
        case .hasOpenTask, .taskWaiting, .taskOverdue: .tasks
        case .threadUnanswered, .threadReplied, .threadWaiting: .thread
        case .hasAttachment, .hasPDF, .signedValid, .signedBroken, .bulk, .bounce, .invite, .receipt, .signed,
            .encrypted, .firstSeen, .duplicate:
            []
        }
    }
}
