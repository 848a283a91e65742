/// The values with which conditions compare.

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
    /// Matches folded text.
    case glob(Pattern)
    /// Matches the original text.
    case regex(Pattern)
    /// The field is present.
    case present

    /// False for a regular expression, which matches the original text.
    func matches(_ text: FoldedText) -> Bool {
        switch self {
        case .phrase(let phrase): text.containsPhrase(phrase)
        case .contains(let part): text.contains(part)
        case .exact(let whole): text == whole
        case .glob(let pattern): pattern.matches(text)
        case .present: !text.isEmpty
        case .regex: false
        }
    }

    func matches(_ text: String) -> Bool {
        if case .regex(let pattern) = self { return pattern.captures(in: text) != nil }
        return matches(FoldedText(text))
    }
}

/// Senders choose their display name, so a value with an `@` is only compared with the address: a name that
/// looks like an address never matches a condition on that address.
enum AddressMatcher: Sendable {
    /// A whole address; without an `@`, a whole display name.
    case exact(FoldedText)
    /// The domain and its subdomains.
    case domain(FoldedText)
    case glob(Pattern)
    case me
    case known
    case list(String)
    /// Words of the address or, without an `@`, of the display name.
    case phrase(FoldedText)
    case contains(FoldedText)
    case regex(Pattern)
    case present
    /// The spellings of an address or domain outside ASCII: mail has it in A-labels, and people write it in readable form.
    indirect case anyOf([AddressMatcher])
}

/// A label or a mailbox, by name.
enum NameMatcher: Sendable {
    /// Folded.
    case name(String)
    case glob(Pattern)

    var isGlob: Bool { if case .glob = self { true } else { false } }

    func matches(_ name: String) -> Bool {
        switch self {
        case .name(let wanted): name.folded == wanted
        case .glob(let pattern): pattern.matches(FoldedText(name))
        }
    }
}

/// A part of the day, in seconds after midnight, without its end. If the end is before the beginning, the
/// range includes midnight.
struct ClockRange: Sendable {
    let start: Int
    let end: Int

    func contains(_ second: Int) -> Bool {
        start <= end ? start <= second && second < end : second >= start || second < end
    }
}
