public import Models
public import SASL
import SMTPProtocol
public import Transport

/// The submission server of an account, and how to log in.
public struct SMTPConfiguration: Sendable {
    public var endpoint: Endpoint
    public var security: TransportSecurity
    /// nil: the server requires no login.
    public var credentials: SASLCredentials?
    /// The name of the client after `EHLO`, because the machine's real name is private.
    public var heloName: String
    /// For each reply as a whole: single bytes do not extend it.
    public var timeouts: Timeouts
    /// The longest wait for the greeting and for each reply up to the login. No message is being sent yet, so giving up
    /// does no harm.
    static let loginPatience = Duration.seconds(60)
    /// The longest wait for the reply to the final dot. A server may scan the message first, and giving up early leaves
    /// its fate unknown. RFC 5321 §4.5.3.2.6.
    public var dotTimeout: Duration
    /// What the account allows opus to do. Without `send`, only the login is possible.
    public var permissions: Permissions = .full
    /// The registry of open connections, which ends those that a change of the network has cut.
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

    /// A plaintext login is allowed only to this machine, and only if the settings say so.
    var protection: SubmissionSession.Protection {
        switch security {
        case .tls: .tls
        case .startTLS: .startTLS
        case .plaintext: endpoint.isLoopback ? .plaintextOnThisMachine : .plaintext
        }
    }
}
