/// What a web server answered, whole.
public struct HTTPResponse: Sendable {
    public var status: Int
    public var headers: [(name: String, value: String)]
    public var body: [UInt8]
    /// The address that answered, after redirects.
    public var address: WebAddress
    /// Whether every hop was encrypted with a verified certificate.
    public var isTrusted: Bool

    public var isSuccess: Bool { (200..<300).contains(status) }

    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// How much a server may send, and how long it may take.
public struct HTTPLimits: Hashable, Sendable {
    /// Octets of the body.
    public var body: Int
    /// From the first look for the name to the last octet, redirects included.
    public var deadline: Duration
    public var redirects: Int

    public init(body: Int = 1 << 20, deadline: Duration = .seconds(30), redirects: Int = 5) {
        self.body = body
        self.deadline = deadline
        self.redirects = redirects
    }
}
