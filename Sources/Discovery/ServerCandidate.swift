/// A possible server of the user's mail: its address, and the source.
public struct ServerCandidate: Hashable, Sendable {
    public enum Service: String, Hashable, Sendable {
        case imap
        case smtp
    }

    /// The source of the candidate.
    public enum Origin: Hashable, Sendable {
        case user
        case provider(name: String)
        case autoconfig(address: String)
        case pacc(address: String)
        case dns(record: String)
        case exchanger(name: String, provider: String)
        case guess
    }

    public var service: Service
    public var host: String
    public var port: Int
    public var security: ServerSecurity
    /// The user name; nil: the source does not name it.
    public var user: String?
    public var origin: Origin
    /// Whether the answer was protected on its way. DNS and plain HTTP are not, so opus asks the user.
    public var isTrusted: Bool

    public init(
        _ service: Service, host: String, port: Int, security: ServerSecurity, user: String? = nil,
        origin: Origin, isTrusted: Bool = true
    ) {
        self.service = service
        self.host = host
        self.port = port
        self.security = security
        self.user = user
        self.origin = origin
        self.isTrusted = isTrusted
    }

    init(_ service: Service, _ server: Provider.Server, origin: Origin, isTrusted: Bool = true) {
        self.init(
            service, host: server.host, port: server.port, security: server.security, origin: origin,
            isTrusted: isTrusted)
    }

    /// Whether the server is in the domain itself: `imap.example.org` for `example.org`.
    func isWithin(_ domain: String) -> Bool {
        let (host, domain) = (host.lowercased(), domain.lowercased())
        return host == domain || host.hasSuffix("." + domain)
    }
}

extension ServerCandidate.Origin: CustomStringConvertible {
    public var description: String {
        switch self {
        case .user: "given by you"
        case .provider(let name): "table of providers: \(name)"
        case .autoconfig(let address): address
        case .pacc(let address): "PACC: \(address)"
        case .dns(let record): "DNS: \(record)"
        case .exchanger(let name, let provider): "mail exchanger \(name): \(provider)"
        case .guess: "the usual name"
        }
    }
}

/// A name of a host, as servers and users write it.
enum HostName {
    /// Letters, digits, dots, hyphens and underscores, within the limits of DNS.
    static func isSound(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 253 && !name.hasPrefix(".") && !name.hasPrefix("-")
            && !name.contains("..")
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
                    UInt8(ascii: "_"):
                    true
                case _: false
                }
            }
    }
}
