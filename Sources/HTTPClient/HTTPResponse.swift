/// The complete response of a web server.
public struct HTTPResponse: Sendable {
    public var status: Int
    public var headers: [(name: String, value: String)]
    public var body: [UInt8]
    /// The address of the response, after redirects.
    public var address: WebAddress
    /// Whether every hop was encrypted with a verified certificate.
    public var isTrusted: Bool

    public var isSuccess: Bool { (200..<300).contains(status) }

    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// The largest response, and the longest time.
public struct HTTPLimits: Hashable, Sendable {
    /// The most octets of the body.
    public var body: Int
    /// For the whole request, from the name lookup to the last octet, with redirects.
    public var deadline: Duration
    public var redirects: Int

    public init(body: Int = 1 << 20, deadline: Duration = .seconds(30), redirects: Int = 5) {
        self.body = body
        self.deadline = deadline
        self.redirects = redirects
    }
}
