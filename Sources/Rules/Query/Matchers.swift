/// The values that conditions compare with.

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

/// The sender chooses the name beside an address, so a value with an `@` is compared with the address alone: a stranger's
/// name that looks like an address never matches a condition on that address.
enum AddressMatcher: Sendable {
    /// A whole address; without an `@`, a whole name.
    case exact(FoldedText)
    /// The domain and those below it.
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
}

/// A label or a mailbox by name.
enum NameMatcher: Sendable {
    /// Folded.
    case name(String)
    case glob(Pattern)

    func matches(_ name: String) -> Bool {
        switch self {
        case .name(let wanted): name.folded == wanted
        case .glob(let pattern): pattern.matches(FoldedText(name))
        }
    }
}

/// A part of the day, in seconds after midnight; the end is not in it. One that ends before it begins runs over
/// midnight.
struct ClockRange: Sendable {
    let start: Int
    let end: Int

    func contains(_ second: Int) -> Bool {
        start <= end ? start <= second && second < end : second >= start || second < end
    }
}
