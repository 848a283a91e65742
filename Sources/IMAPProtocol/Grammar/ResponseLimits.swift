/// How much of each thing a server may send before we stop listening.
///
/// Nothing that a peer sends is unbounded; every limit that is hit names the actual size and the maximum.
public struct ResponseLimits: Equatable, Sendable {
    /// Octets in one line.
    public var line = 64 * 1_024
    /// Octets in one line of `SEARCH`, `ESEARCH` or `VANISHED`, which list a whole mailbox.
    public var numberLine = 8 * 1_024 * 1_024
    /// Octets of all lines of one response together; literals are counted apart.
    public var responseText = 1_024 * 1_024
    /// Octets of all literals of one response that carry no message data.
    public var literal = 1_024 * 1_024
    /// Octets of all message data in one response that are kept. What is longer is read past and reported
    /// as omitted, so that one giant mail does not end the session.
    public var body = 50 * 1_024 * 1_024
    /// Octets that are read past for one literal before the session ends.
    public var omitted = 2 * 1_024 * 1_024 * 1_024
    /// Literals in one response.
    public var literals = 1_000
    /// Depth of parentheses.
    public var nesting = 64
    /// Items of all lists in one response.
    public var items = 100_000
    /// Parts of one message that a BODYSTRUCTURE may describe.
    public var parts = 1_000
    /// How many numbers a `SEARCH` or a UID set in a response may have.
    public var numbers = 1_000_000

    public init() {}

    public static let standard = ResponseLimits()
}
