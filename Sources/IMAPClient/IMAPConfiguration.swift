public import SASL
public import Transport

/// Where an account's mail lives, and who asks for it.
public struct IMAPConfiguration: Sendable {
    public var endpoint: Endpoint
    public var security: TransportSecurity
    public var credentials: SASLCredentials
    public var timeouts: Timeouts

    public init(
        endpoint: Endpoint, security: TransportSecurity, credentials: SASLCredentials,
        timeouts: Timeouts = Timeouts()
    ) {
        self.endpoint = endpoint
        self.security = security
        self.credentials = credentials
        self.timeouts = timeouts
    }
}
