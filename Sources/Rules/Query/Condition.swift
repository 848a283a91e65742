/// What a `when`, an `unless`, a definition or a query became: a tree of tests.
indirect enum Condition: Sendable {
    /// `*`: every message.
    case always
    case all(Branches)
    case any(Branches)
    case not(Condition)
    case test(ConditionTest)

    /// Children in the order in which they were written, and in the order in which they are judged: cheap first.
    struct Branches: Sendable {
        let children: [Condition]
        let order: [Int]

        init(_ children: [Condition]) {
            self.children = children
            let costs = children.map(\.cost)
            order = children.indices.sorted { (costs[$0], $0) < (costs[$1], $1) }
        }
    }

    static func all(_ children: [Condition]) -> Condition {
        children.count == 1 ? children[0] : .all(Branches(children))
    }

    static func any(_ children: [Condition]) -> Condition {
        children.count == 1 ? children[0] : .any(Branches(children))
    }

    /// A rough price, to ask for flags before bodies.
    var cost: Int {
        switch self {
        case .always: 0
        case .all(let branches), .any(let branches): branches.children.map(\.cost).max() ?? 0
        case .not(let inner): inner.cost
        case .test(let test): test.cost
        }
    }

    /// Every test of the tree, in the order in which they were written.
    var tests: [ConditionTest] {
        switch self {
        case .always: []
        case .all(let branches), .any(let branches): branches.children.flatMap(\.tests)
        case .not(let inner): inner.tests
        case .test(let test): [test]
        }
    }

    /// The named groups that a match may fill: those of tests that are not negated.
    var captureNames: Set<String> {
        switch self {
        case .always, .not: []
        case .all(let branches), .any(let branches):
            branches.children.reduce(into: []) { $0.formUnion($1.captureNames) }
        case .test(let test): Set(test.pattern?.groups.map(\.name) ?? [])
        }
    }
}

/// One question about a message.
struct ConditionTest: Sendable {
    enum Kind: Sendable {
        case address(AddressField, AddressMatcher)
        case text(TextField, TextMatcher)
        case number(NumberField, Comparison, Int)
        /// Seconds.
        case age(Comparison, Int64)
        case time(TimeField, Comparison, phrase: String)
        /// 1 is Monday.
        case weekday(Set<Int>)
        case state(State)
        case keyword(NameMatcher)
        case mailbox(NameMatcher)
        case defined(String)
        case matched(String)
    }

    let kind: Kind
    /// As a query would spell it.
    let text: String

    var needs: FactNeeds {
        switch kind {
        case .text(.body, _), .text(.anyText, _): .text
        case .text(.header, _), .state(.bulk), .state(.bounce): .headers
        case .text(.subject, _), .text(.attachmentName, _), .text(.attachmentType, _), .address, .number,
            .age,
            .time, .weekday, .keyword, .mailbox, .defined, .matched, .state:
            []
        }
    }

    var cost: Int {
        switch kind {
        case .number, .age, .time, .weekday, .keyword, .mailbox: 1
        case .state(.bulk), .state(.bounce): 3
        case .state: 1
        case .address: 2
        case .text(.body, _), .text(.anyText, _): 100
        case .text: 3
        case .defined, .matched: 20
        }
    }

    var pattern: Pattern? {
        switch kind {
        case .text(_, .regex(let pattern)), .address(_, .regex(let pattern)): pattern
        case .text, .address, .number, .age, .time, .weekday, .state, .keyword, .mailbox, .defined, .matched:
            nil
        }
    }
}

enum Comparison: String, Sendable {
    case less = "<"
    case lessOrEqual = "<="
    case equal = "="
    case greaterOrEqual = ">="
    case greater = ">"

    func holds<Value: Comparable>(_ a: Value, _ b: Value) -> Bool {
        switch self {
        case .less: a < b
        case .lessOrEqual: a <= b
        case .equal: a == b
        case .greaterOrEqual: a >= b
        case .greater: a > b
        }
    }
}

enum TextMatcher: Sendable {
    case phrase(FoldedText)
    case contains(FoldedText)
    case exact(FoldedText)
    /// On folded text.
    case glob(Pattern)
    /// On the text as it is.
    case regex(Pattern)
    /// There is one at all.
    case present
}

enum AddressMatcher: Sendable {
    /// A whole address, or a whole name.
    case exact(FoldedText)
    /// The domain and those below it.
    case domain(String)
    case glob(Pattern)
    case me
    case known
    case list(String)
    /// Words of the display name or of the address.
    case phrase(FoldedText)
    case contains(FoldedText)
    case regex(Pattern)
    case present
}

/// A label or a mailbox by name.
enum NameMatcher: Sendable {
    /// Folded.
    case name(String)
    case glob(Pattern)
}

/// Which facts of a message have to be fetched before rules can judge it.
public struct FactNeeds: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let headers = FactNeeds(rawValue: 1)
    public static let text = FactNeeds(rawValue: 2)
}

/// What is wrong with a condition, and where in its text.
struct QueryProblem: Error, Hashable, Sendable {
    var isWarning = false
    var code: String
    /// In Characters from the beginning of the text.
    var offset: Int
    var length: Int
    var message: String
    var suggestion: String?
}

/// The names that conditions may refer to.
struct KnownNames: Sendable {
    var lists: Set<String> = []
    var defines: Set<String> = []
    var rules: Set<String> = []
    /// Outside of rule files there may be no rules at hand.
    var hasRules = true
}
