/// One test of a message.
///
/// A class, because every message is tested with it: passing it on counts one reference instead of many.
final class ConditionTest: Sendable {
    enum Kind: Sendable {
        case address(AddressField, AddressMatcher)
        case text(TextField, TextMatcher)
        case amount(Amount, Comparison, Int)
        /// In seconds.
        case age(Comparison, Int64)
        case time(TimeField, Comparison, phrase: String)
        case clock(ClockRange)
        /// 1 is Monday.
        case weekday(Set<Int>)
        case state(State)
        case keyword(NameMatcher)
        case mailbox(NameMatcher)
        case taskList(NameMatcher)
        /// In seconds.
        case waited(Comparison, Int64)
        /// The result, in lower case.
        case authentication(AuthenticationMethod, String)
        /// In the form of ``IdentityField/comparable(_:)``.
        case identity(IdentityField, NameMatcher)
        /// Any message of the conversation.
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

    /// As written in a query.
    var text: String { spelling.query }

    /// The condition inside `thread:has(…)`.
    var inner: Condition? {
        if case .thread(let condition) = kind { return condition }
        return nil
    }

    /// Without those of ``inner``.
    var needs: FactNeeds {
        switch kind {
        case .text(.body, _), .text(.anyText, _): .text
        case .text(.header, _), .address(.deliveredTo, _), .address(.returnPath, _), .authentication: .headers
        case .state(let state): state.needs
        case .amount(let amount, _, _): amount.needs
        case .thread: .thread
        case .taskList, .waited: .tasks
        case .text(.subject, _), .text(.attachmentName, _), .text(.attachmentType, _),
            .text(.attachmentText, _), .address, .age, .time, .clock, .weekday, .keyword, .mailbox, .identity,
            .defined, .matched:
            []
        }
    }

    /// The header fields that it uses, in lower case; without those of ``inner``.
    var headerNames: Set<String> {
        switch kind {
        case .text(.header(let name), _): [HeaderPlace(name).name]
        case .address(.deliveredTo, _): ["delivered-to", "x-original-to", "envelope-to"]
        case .address(.returnPath, _): ["return-path"]
        case .authentication: ["authentication-results", "received"]
        case .state(let state): state.headerNames
        case .text(.subject, _), .text(.body, _), .text(.anyText, _), .text(.attachmentName, _),
            .text(.attachmentType, _), .text(.attachmentText, _), .address, .amount, .age, .time, .clock,
            .weekday, .keyword,
            .mailbox, .taskList, .waited, .identity, .thread, .defined, .matched:
            []
        }
    }

    var cost: Int {
        switch kind {
        case .amount, .age, .time, .clock, .weekday, .keyword, .mailbox, .taskList, .waited, .identity: 1
        case .state(let state): state.needs.isEmpty ? 1 : 3
        case .address: 2
        case .text(.body, _), .text(.anyText, _), .text(.attachmentText, _): 100
        case .text, .authentication: 3
        case .defined, .matched: 20
        case .thread: 200
        }
    }

    var pattern: Pattern? {
        switch kind {
        case .text(_, .regex(let pattern)), .address(_, .regex(let pattern)): pattern
        case .text, .address, .amount, .age, .time, .clock, .weekday, .state, .keyword, .mailbox,
            .taskList,
            .waited, .authentication, .identity, .thread, .defined, .matched:
            nil
        }
    }
}

extension ConditionTest {
    /// The facts of this condition that a triage may change.
    var changingFacts: ChangingFacts {
        switch kind {
        case .state(let state): state.changing
        case .amount(let amount, _, _): amount.changing
        case .keyword: .marks
        case .taskList, .waited: .tasks
        case .thread: .thread
        case .address, .text, .age, .time, .clock, .weekday, .mailbox, .authentication, .identity,
            .defined, .matched:
            []
        }
    }

    /// Whether its result is known when a message arrives and stays the same until the next message of the conversation
    /// comes. Without ``inner``.
    var isKnownAtArrival: Bool {
        switch kind {
        case .state, .amount: changingFacts.isDisjoint(with: [.marks, .tasks])
        case .age, .time, .clock, .weekday, .keyword, .taskList, .waited: false
        case .address, .text, .mailbox, .authentication, .identity, .thread, .defined, .matched: true
        }
    }
}
