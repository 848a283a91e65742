public import Models
public import SASL
public import Transport

/// The server of an account, and how to log in.
public struct IMAPConfiguration: Sendable {
    public var endpoint: Endpoint
    public var security: TransportSecurity
    public var credentials: SASLCredentials
    public var timeouts: Timeouts
    public var compression: Compression
    /// Whether to enable UTF8=ACCEPT if the server offers it. RFC 6855.
    public var acceptsUTF8: Bool
    /// The commands that may be sent.
    public var permissions: Permissions = .full
    /// The registry of open connections, which ends those that a change of the network has cut.
    public var connections: OpenConnections?

    public init(
        endpoint: Endpoint, security: TransportSecurity, credentials: SASLCredentials,
        timeouts: Timeouts = Timeouts(), compression: Compression = .off, acceptsUTF8: Bool = false
    ) {
        self.endpoint = endpoint
        self.security = security
        self.credentials = credentials
        self.timeouts = timeouts
        self.compression = compression
        self.acceptsUTF8 = acceptsUTF8
    }
}

/// When to compress all traffic after the login. RFC 4978.
///
/// Mail shrinks to a third, but the server needs eight times the processor time, so it helps only on slow links.
public enum Compression: String, CaseIterable, Hashable, Sendable {
    case off
    /// If the server offers it, is not on this machine, and answers slowly.
    case automatic
    /// Whenever the server offers it.
    case always

    /// From this round trip on, compression helps.
    static let slowRoundTrip = Duration.milliseconds(10)

    /// Decides by the shortest round trip seen; nil: none was.
    func isWanted(isLoopback: Bool, roundTrip: Duration?) -> Bool {
        switch self {
        case .off: false
        case .automatic: !isLoopback && (roundTrip.map { $0 >= Self.slowRoundTrip } ?? false)
        case .always: true
        }
    }
}
