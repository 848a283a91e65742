public import SASL
public import Transport

/// Where an account's mail lives, and who asks for it.
public struct IMAPConfiguration: Sendable {
    public var endpoint: Endpoint
    public var security: TransportSecurity
    public var user: String
    public var password: Secret
    public var timeouts: Timeouts

    public init(
        endpoint: Endpoint, security: TransportSecurity, user: String, password: Secret,
        timeouts: Timeouts = Timeouts()
    ) {
        self.endpoint = endpoint
        self.security = security
        self.user = user
        self.password = password
        self.timeouts = timeouts
    }
}
