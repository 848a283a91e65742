public import Models
public import SASL
public import Transport

/// Where an account's mail is, and how to log in.
public struct IMAPConfiguration: Sendable {
    public var endpoint: Endpoint
    public var security: TransportSecurity
    public var credentials: SASLCredentials
    public var timeouts: Timeouts
    public var compression: Compression
    /// Whether UTF8=ACCEPT is enabled where the server offers it. RFC 6855.
    public var acceptsUTF8: Bool
    /// What may be sent at all.
    public var permissions: Permissions = .full
    /// Those that a change of the network ends, if they are lost with it.
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

/// When everything after the login is compressed, both ways. RFC 4978.
///
/// Mail shrinks to a third, but the server works eight times harder: it pays on a slow line only.
public enum Compression: String, CaseIterable, Hashable, Sendable {
    case off
    /// Where the server offers it, is not on this machine, and answers slowly enough to be far away.
    case automatic
    /// Wherever the server offers it.
    case always

    /// A round trip that tells a line worth it from a fast one.
    static let slowRoundTrip = Duration.milliseconds(10)

    /// The shortest round trip that was seen decides; nil when none was.
    func isWanted(isLoopback: Bool, roundTrip: Duration?) -> Bool {
        switch self {
        case .off: false
        case .automatic: !isLoopback && (roundTrip.map { $0 >= Self.slowRoundTrip } ?? false)
        case .always: true
        }
    }
}
