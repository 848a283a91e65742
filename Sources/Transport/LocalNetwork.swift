import Glibc
import NIOCore

/// The addresses of this machine at one moment. Decides which connections survive a change of addresses or routes.
struct LocalNetwork: Sendable {
    /// The addresses of this machine, IPv4 and IPv6, as text without a zone.
    let addresses: Set<String>

    /// Whether a connection from this local address can still receive answers.
    ///
    /// It can as long as the machine has that address; a new interface does not matter. Connections over loopback need
    /// no network.
    func carries(_ local: String?, hasRoute: @autoclosure () -> Bool) -> Bool {
        // If the address is unknown, keepalive detects a dead peer.
        guard let local, !Self.isLoopback(local) else { return true }
        return addresses.contains(local) && hasRoute()
    }

    static func isLoopback(_ address: String) -> Bool {
        address == "::1" || address.hasPrefix("127.") || address.hasPrefix("::ffff:127.")
    }
}

// MARK: - System data

extension LocalNetwork {
    /// nil: the system does not report its addresses.
    static func now() -> LocalNetwork? {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return nil }
        defer { freeifaddrs(list) }
        let found = sequence(first: list, next: { $0?.pointee.ifa_next }).compactMap { entry in
            entry?.pointee.ifa_addr.flatMap { SocketAddress(UnsafeRawPointer($0))?.ipAddress }
        }
        return LocalNetwork(addresses: Set(found))
    }

    /// Whether the system has a route from one address to the other. It only looks up the route of a datagram socket
    /// and sends nothing.
    static func hasRoute(from local: SocketAddress, to remote: SocketAddress) -> Bool {
        let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let probe = socket(remote.protocol.rawValue == PF_INET6 ? AF_INET6 : AF_INET, type, 0)
        guard probe >= 0 else { return true }
        defer { close(probe) }
        var from = local
        from.port = 0
        // Binds for routes that depend on the sender. If it fails, the system chooses.
        _ = from.withSockAddr { bind(probe, $0, socklen_t($1)) }
        return remote.withSockAddr { connect(probe, $0, socklen_t($1)) == 0 || !noWay.contains(errno) }
    }

    /// The errors of a failed lookup: no route, a route of type `unreachable`, `prohibit` or `blackhole`, or an
    /// interface that is down.
    private static let noWay: Set<Int32> = [ENETUNREACH, EHOSTUNREACH, EACCES, EINVAL, ENETDOWN]
}

extension SocketAddress {
    /// nil: neither IPv4 nor IPv6.
    init?(_ raw: UnsafeRawPointer) {
        // `sa_family` is the first member of each kind of address.
        switch Int32(raw.loadUnaligned(as: sa_family_t.self)) {
        case AF_INET: self.init(raw.loadUnaligned(as: sockaddr_in.self))
        case AF_INET6: self.init(raw.loadUnaligned(as: sockaddr_in6.self))
        case _: return nil
        }
    }
}
