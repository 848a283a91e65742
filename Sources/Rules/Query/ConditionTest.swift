/// One question about a message.
///
/// A class, because it is asked of every message: passing it on counts one reference instead of many.
final class ConditionTest: Sendable {
    enum Kind: Sendable {
        case address(AddressField, AddressMatcher)
        case text(TextField, TextMatcher)
        case number(NumberField, Comparison, Int)
        case count(CountField, Comparison, Int)
        /// Seconds.
        case age(Comparison, Int64)
        case time(TimeField, Comparison, phrase: String)
        case clock(ClockRange)
        /// 1 is Monday.
        case weekday(Set<Int>)
        case state(State)
        case keyword(NameMatcher)
        case mailbox(NameMatcher)
        case taskList(NameMatcher)
        /// Seconds.
        case waited(Comparison, Int64)
        /// The result, in lower case.
        case authentication(AuthenticationMethod, String)
        /// Some message of the conversation.
        case thread(Condition)
        case defined(String)
        case matched(String)
    }

    let kind: Kind
    let spelling: Spelling

    init(kind: Kind, spelling: Spelling) {
        self.kind = kind
        self.spelling = spelling
    }

    /// As a query would spell it.
    var text: String { spelling.query }

    /// The condition inside of `thread:has(…)`.
    var inner: Condition? {
        if case .thread(let condition) = kind { return condition }
        return nil
    }

    /// Apart from those of ``inner``.
    var needs: FactNeeds {
        switch kind {
        case .text(.body, _), .text(.anyText, _): .text
        case .text(.header, _), .address(.deliveredTo, _), .address(.returnPath, _), .authentication: .headers
        case .state(let state): state.needs
        case .thread, .count(.threadSize, _, _): .thread
        case .count(.senderCount, _, _): .senders
        case .taskList, .waited: .tasks
        case .text(.subject, _), .text(.attachmentName, _), .text(.attachmentType, _), .address, .number,
            .age,
            .time, .clock, .weekday, .keyword, .mailbox, .defined, .matched:
            []
        }
    }

    /// The header fields that it looks at, in lower case; apart from those of ``inner``.
    var headerNames: Set<String> {
        switch kind {
        case .text(.header(let name), _): [name]
        case .address(.deliveredTo, _): ["delivered-to", "x-original-to", "envelope-to"]
        case .address(.returnPath, _): ["return-path"]
        case .authentication: ["authentication-results", "received"]
        case .state(let state): state.headerNames
        case .text(.subject, _), .text(.body, _), .text(.anyText, _), .text(.attachmentName, _),
            .text(.attachmentType, _), .address, .number, .count, .age, .time, .clock, .weekday, .keyword,
            .mailbox, .taskList, .waited, .thread, .defined, .matched:
            []
        }
    }

    var cost: Int {
        switch kind {
        case .number, .count, .age, .time, .clock, .weekday, .keyword, .mailbox, .taskList, .waited: 1
        case .state(let state): state.needs.isEmpty ? 1 : 3
        case .address: 2
        case .text(.body, _), .text(.anyText, _): 100
        case .text, .authentication: 3
        case .defined, .matched: 20
        case .thread: 200
        }
    }

    var pattern: Pattern? {
        switch kind {
        case .text(_, .regex(let pattern)), .address(_, .regex(let pattern)): pattern
        case .text, .address, .number, .count, .age, .time, .clock, .weekday, .state, .keyword, .mailbox,
            .taskList,
            .waited, .authentication, .thread, .defined, .matched:
            nil
        }
    }
}

extension State {
    var needs: FactNeeds {
        switch self {
        case .unread, .read, .flagged, .answered, .draft, .hasAttachment, .hasPDF, .hasOpenTask, .signedValid,
            .signedBroken:
            []
        case .bulk, .bounce, .invite, .receipt, .signed, .encrypted: .headers
        case .threadUnanswered, .threadReplied, .threadWaiting: .thread
        case .taskWaiting, .taskOverdue: .tasks
        case .firstSeen: .senders
        case .duplicate: .copies
        }
    }
}

extension State {
    /// The header fields that it looks at.
    var headerNames: Set<String> {
        switch self {
        case .bulk: ["list-id", "list-unsubscribe", "precedence"]
        case .bounce: ["return-path", "content-type"]
        case .invite, .receipt, .signed, .encrypted: ["content-type"]
        case .unread, .read, .flagged, .answered, .draft, .hasAttachment, .hasPDF, .hasOpenTask,
            .signedValid, .signedBroken, .threadUnanswered, .threadReplied, .threadWaiting, .taskWaiting,
            .taskOverdue, .firstSeen, .duplicate:
            []
        }
    }
}

/// Which facts of a message have to be fetched before rules can judge it.
public struct FactNeeds: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let headers = FactNeeds(rawValue: 1)
    public static let text = FactNeeds(rawValue: 2)
    /// What stands in the message itself, apart from what every list of messages shows.
    public static let content: FactNeeds = [.headers, .text]
    /// The other messages of the conversation.
    public static let thread = FactNeeds(rawValue: 4)
    /// Header and text of those messages: what stands in `thread:has(…)` asks for them.
    public static let threadHeaders = FactNeeds(rawValue: 32)
    public static let threadText = FactNeeds(rawValue: 64)
    /// What stands in the open tasks.
    public static let tasks = FactNeeds(rawValue: 8)
    /// How many messages of a writer there are.
    public static let senders = FactNeeds(rawValue: 16)
    /// Whether a copy of the message came before.
    public static let copies = FactNeeds(rawValue: 128)
    /// What is read from the store beside the message.
    public static let surroundings: FactNeeds = [.thread, .tasks, .senders, .copies]

    /// What is needed of a message is asked of those of its conversation.
    var insideThread: FactNeeds {
        var needs: FactNeeds = []
        if contains(.headers) { needs.insert(.threadHeaders) }
        if contains(.text) { needs.insert(.threadText) }
        if contains(.copies) { needs.insert(.copies) }
        return needs
    }

    /// What is needed of the messages of a conversation.
    public var ofConversations: FactNeeds {
        var needs: FactNeeds = []
        if contains(.threadHeaders) { needs.insert(.headers) }
        if contains(.threadText) { needs.insert(.text) }
        return needs
    }
}
