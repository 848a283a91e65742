public import Models
public import SASL
import SMTPProtocol
public import Transport

/// Where and as whom to submit mail.
public struct SMTPConfiguration: Sendable {
    public var endpoint: Endpoint
    public var security: TransportSecurity
    /// nil: the server asks for no login.
    public var credentials: SASLCredentials?
    /// The name of the client after `EHLO`. The machine's real name is private.
    public var heloName: String
    /// Per reply, not per byte: a server that drips does not hold us up longer.
    public var timeouts: Timeouts
    /// The longest wait for the greeting and for each reply up to the login: no message is under way yet, and giving up
    /// costs nothing.
    static let loginPatience = Duration.seconds(60)
    /// For the reply to the final dot. A server may scan the message first; giving up early is how one
    /// message becomes two. RFC 5321 §4.5.3.2.6.
    public var dotTimeout: Duration
    /// What the account lets opus do: without `send`, only a login is possible.
    public var permissions: Permissions = .full
    /// Those that a change of the network ends, if they are lost with it.
    public var connections: OpenConnections?

    public init(
        endpoint: Endpoint, security: TransportSecurity, credentials: SASLCredentials?,
        heloName: String = "localhost", timeouts: Timeouts = Timeouts(receive: .seconds(300)),
        dotTimeout: Duration = .seconds(600)
    ) {
        self.endpoint = endpoint
        self.security = security
        self.credentials = credentials
        self.heloName = heloName
        self.timeouts = timeouts
        self.dotTimeout = dotTimeout
    }

    /// A login in the clear is allowed to this machine only, and only when the configuration says so.
    var protection: SubmissionSession.Protection {
        switch security {
        case .tls: .tls
        case .startTLS: .startTLS
        case .plaintext: endpoint.isLoopback ? .plaintextOnThisMachine : .plaintext
        }
    }
}
