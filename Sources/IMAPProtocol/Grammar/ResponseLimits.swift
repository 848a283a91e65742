/// How much of each kind of data a server may send before the session ends.
///
/// Every size has a limit; an error names the actual size and the maximum.
public struct ResponseLimits: Equatable, Sendable {
    /// Octets of one line; of `FETCH`, ``responseText``.
    public var line = 64 * 1_024
    /// Octets of one line of `SEARCH`, `ESEARCH` or `VANISHED`, which may list a whole mailbox.
    public var numberLine = 8 * 1_024 * 1_024
    /// Octets of all lines of one response, without its literals.
    public var responseText = 1_024 * 1_024
    /// Octets of all literals of one response that are not message data.
    public var literal = 1_024 * 1_024
    /// Octets of message data kept of one response. Longer data is discarded and reported as omitted, so that one huge
    /// message does not end the session.
    public var body = 50 * 1_024 * 1_024
    /// Octets discarded of one literal before the session ends.
    public var omitted = 2 * 1_024 * 1_024 * 1_024
    /// The number of literals in one response.
    public var literals = 1_000
    /// Levels of parentheses.
    public var nesting = 64
    /// The number of items in all lists of one response.
    public var items = 100_000
    /// The number of parts in a BODYSTRUCTURE.
    public var parts = 1_000
    /// The number of numbers in a `SEARCH` or UID set of a response.
    public var numbers = 1_000_000

    public init() {}

    public static let standard = ResponseLimits()
}
