/// Why a response was skipped, and where in its text.
public struct Unparsable: Equatable, Sendable {
    public enum Reason: Equatable, Sendable {
        case expected(String)
        case numberTooLarge
        case nesting(actual: Int, maximum: Int)
        case tooManyItems(actual: Int, maximum: Int)
        case unbalancedParentheses
        /// Message data beyond the limit where no message data can be.
        case misplacedLiteral
    }

    public var reason: Reason
    public var offset: Int
    /// What kind of response was lost, in upper case: after a lost `FETCH`, `VANISHED` or `SEARCH` the mailbox
    /// wants a full comparison. Empty where not even that is known.
    public var keyword: String
    /// Whose FETCH was lost, where the UID came before the fault.
    public var uid: UInt32?
    /// The text round the fault, at most 200 bytes, for a bug report. Text from a stranger, and maybe of a mail.
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
