/// Why a response was skipped, and where in its text.
public struct Unparsable: Equatable, Sendable {
    public enum Reason: Equatable, Sendable {
        case expected(String)
        case numberTooLarge
        case nesting(actual: Int, maximum: Int)
        case tooManyItems(actual: Int, maximum: Int)
        case unbalancedParentheses
        /// A literal beyond the limit, in a place where no message data is allowed.
        case misplacedLiteral
    }

    public var reason: Reason
    public var offset: Int
    /// The kind of the lost response, in upper case; empty: unknown. After a lost `FETCH`, `VANISHED` or `SEARCH`, the
    /// mailbox needs a full comparison.
    public var keyword: String
    /// The UID of a lost FETCH, if it came before the error.
    public var uid: UInt32?
    /// At most 200 bytes around the error, for a bug report. It is text from a stranger, and may be part of a mail.
    public var excerpt: [UInt8]

    public init(
        reason: Reason, offset: Int, keyword: String = "", uid: UInt32? = nil, excerpt: [UInt8] = []
    ) {
        self.reason = reason
        self.offset = offset
        self.keyword = keyword
        self.uid = uid
        self.excerpt = excerpt
    }
}

extension Unparsable.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .expected(let what): "\(what) expected"
        case .numberTooLarge: "a number that is too large"
        case .nesting(let actual, let maximum): "\(actual) parentheses deep; at most \(maximum) are read"
        case .tooManyItems(let actual, let maximum): "\(actual) items or more; at most \(maximum) are read"
        case .unbalancedParentheses: "parentheses that do not balance"
        case .misplacedLiteral: "message data where none can be"
        }
    }
}
