import Glibc
import NIOCore

/// What this machine's network carries at one moment: decides which connections survive a change of addresses or routes.
struct LocalNetwork: Sendable {
    /// The addresses of this machine, IPv4 and IPv6, as text without a zone.
    let addresses: Set<String>

    /// Whether a connection from this local address can still get an answer.
    ///
    /// A connection lives as long as its own address: another interface that came up changes nothing for it. Connections
    /// within this machine over loopback need no network.
    func carries(_ local: String?, hasRoute: @autoclosure () -> Bool) -> Bool {
        // Not known: whether the peer is gone, keepalive finds out.
        guard let local, !Self.isLoopback(local) else { return true }
        return addresses.contains(local) && hasRoute()
    }

    static func isLoopback(_ address: String) -> Bool {
        address == "::1" || address.hasPrefix("127.") || address.hasPrefix("::ffff:127.")
    }
}

// MARK: - What the system says

extension LocalNetwork {
    /// nil: the system does not tell.
    static func now() -> LocalNetwork? {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return nil }
        defer { freeifaddrs(list) }
        let found = sequence(first: list, next: { $0?.pointee.ifa_next }).compactMap { entry in
            entry?.pointee.ifa_addr.flatMap { SocketAddress(UnsafeRawPointer($0))?.ipAddress }
        }
        return LocalNetwork(addresses: Set(found))
    }

    /// Whether the system knows a way from one to the other. Nothing is sent: a datagram socket only looks the way up.
    static func hasRoute(from local: SocketAddress, to remote: SocketAddress) -> Bool {
        let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let probe = socket(remote.protocol.rawValue == PF_INET6 ? AF_INET6 : AF_INET, type, 0)
        guard probe >= 0 else { return true }
        defer { close(probe) }
        var from = local
        from.port = 0
        // Where the way depends on the sender. A failure leaves the choice to the system.
        _ = from.withSockAddr { bind(probe, $0, socklen_t($1)) }
        return remote.withSockAddr { connect(probe, $0, socklen_t($1)) == 0 || !noWay.contains(errno) }
    }

    /// What a lookup fails with: no route, one of type `unreachable`, `prohibit` or `blackhole`, an interface that is down.
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
