/// The address of a server.
public struct Endpoint: Hashable, Sendable, CustomStringConvertible {
    /// A name, or an IPv4 or IPv6 address; brackets around it are removed.
    public var host: String
    public var port: Int

    public init(host: String, port: Int) {
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        self.host = isBracketed ? String(host.dropFirst().dropLast()) : host
        self.port = port
    }

    /// Whether the connection must stay on this machine: `localhost`, `::1` or 127.0.0.0/8, as literals.
    ///
    /// A name that only resolves to such an address does not count, because a resolver can be manipulated. For the same
    /// reason, a plaintext connection to `localhost` first checks all addresses of that name (``Dial``).
    public var isLoopback: Bool {
        let name = host.lowercased()
        if name == "localhost" || name == "::1" { return true }
        let numbers = name.split(separator: ".", omittingEmptySubsequences: false)
        guard numbers.count == 4, numbers[0] == "127" else { return false }
        return numbers.allSatisfy { number in
            number.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
                && UInt8(number) != nil
        }
    }

    public var description: String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

/// Whom to believe on the other end. TLS 1.2 or later always; full verification, or one certificate that the
/// user has pinned, which is then the only one believed. There is no switch for neither.
public struct TLSPolicy: Hashable, Sendable {
    /// A PEM file that replaces the system's authorities. Nothing else is trusted then.
    public var caFile: String?
    /// The name, or address literal, that the certificate must carry. A literal is checked against the
    /// address that was really reached.
    public var serverName: String
    /// SHA-256 of the server's own certificate in DER, as 64 lower-case hexadecimal digits. Authorities, name
    /// and dates are not looked at then: for servers that sign their certificate themselves.
    public var pin: String?

    public init(serverName: String, caFile: String? = nil, pin: String? = nil) {
        self.serverName = serverName
        self.caFile = caFile
        self.pin = pin
    }
}

/// How a connection is protected.
public enum TransportSecurity: Hashable, Sendable {
    /// TLS from the first byte. RFC 8314 §3.
    case tls(TLSPolicy)
    /// Plaintext until the caller asks for ``Connection/startTLS(_:)``, which it must before any secret.
    case startTLS(TLSPolicy)
    case plaintext
}

/// How long each kind of waiting may take. Sending is measured a piece at a time, so a large message on a
/// slow line is not a timeout while bytes still flow.
public struct Timeouts: Hashable, Sendable {
    public var connect: Duration
    public var tls: Duration
    public var receive: Duration
    public var send: Duration

    public init(
        connect: Duration = .seconds(30), tls: Duration = .seconds(30), receive: Duration = .seconds(60),
        send: Duration = .seconds(60)
    ) {
        self.connect = connect
        self.tls = tls
        self.receive = receive
        self.send = send
    }
}
