import Glibc
import NIOCore
import NIOPosix

/// Makes the TCP connection: tries every address of the name, and uses the first that answers.
enum Dial {
    /// `dial` can end it early.
    static func connect(
        _ endpoint: Endpoint, timeout: TimeAmount, _ dial: PendingDial
    ) async throws(CodedFailure) -> PendingDial.Opened {
        guard (1...65_535).contains(endpoint.port), !endpoint.host.isEmpty else {
            throw CodedFailure(.unknownHost)
        }
        do {
            return try await dial.result {
                try await bootstrap(timeout: timeout).connect(host: endpoint.host, port: endpoint.port) {
                    prepare($0, dial)
                }
            }
        } catch {
            throw CodedFailure(FailureReason.code(for: error, policy: nil, peer: nil))
        }
    }

    /// Makes a plaintext connection, which must stay on this machine: every address of the name must be local, and only
    /// these are tried. A hosts file or a resolver may contain anything.
    static func connectHere(_ endpoint: Endpoint, timeout: TimeAmount) async throws(CodedFailure)
        -> PendingDial.Opened
    {
        let addresses = try await addresses(of: endpoint)
        if let other = addresses.first(where: { !isHere($0) }) {
            throw CodedFailure(.notThisMachine(address: other.ipAddress ?? "another machine"))
        }
        var failure = CodedFailure(.unknownHost)
        for (number, address) in addresses.enumerated() {
            let dial = PendingDial()
            do {
                return try await dial.result {
                    try await bootstrap(timeout: timeout).connect(to: address) { prepare($0, dial) }
                }
            } catch {
                // The first error is the most informative.
                if number == 0 {
                    failure = CodedFailure(FailureReason.code(for: error, policy: nil, peer: nil))
                }
            }
        }
        throw failure
    }

    private static func prepare(_ channel: any Channel, _ dial: PendingDial) -> EventLoopFuture<
        PendingDial.Opened
    > {
        channel.eventLoop.makeCompletedFuture {
            try dial.add(channel)
            let handler = InboundHandler()
            try channel.pipeline.syncOperations.addHandler(handler)
            let inbound = NIOLoopBound(handler, eventLoop: channel.eventLoop)
            return PendingDial.Opened(channel: channel, inbound: inbound)
        }
    }

    /// The addresses of a name as the system resolves it, without duplicates.
    private static func addresses(of endpoint: Endpoint) async throws(CodedFailure) -> [SocketAddress] {
        guard (1...65_535).contains(endpoint.port), !endpoint.host.isEmpty else {
            throw CodedFailure(.unknownHost)
        }
        do {
            return try await NIOThreadPool.singleton.runIfActive {
                var hints = addrinfo()
                hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
                var list: UnsafeMutablePointer<addrinfo>?
                guard getaddrinfo(endpoint.host, String(endpoint.port), &hints, &list) == 0 else {
                    throw CodedFailure(.unknownHost)
                }
                defer { freeaddrinfo(list) }
                return sequence(first: list, next: { $0?.pointee.ai_next }).compactMap { entry in
                    entry?.pointee.ai_addr.flatMap { SocketAddress(UnsafeRawPointer($0)) }
                }
            }
        } catch {
            throw CodedFailure(.unknownHost)
        }
    }

    private static func isHere(_ address: SocketAddress) -> Bool {
        let text = address.ipAddress ?? ""
        return text.hasPrefix("127.") || text == "::1"
    }

    private static func bootstrap(timeout: TimeAmount) -> ClientBootstrap {
        ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(timeout)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.socketOption(.so_keepalive), value: 1)
            .channelOption(.tcpOption(.init(rawValue: TCP_KEEPIDLE)), value: Liveness.idle)
            .channelOption(.tcpOption(.init(rawValue: TCP_KEEPINTVL)), value: Liveness.interval)
            .channelOption(.tcpOption(.init(rawValue: TCP_KEEPCNT)), value: Liveness.probes)
            .channelOption(.tcpOption(.init(rawValue: Liveness.userTimeoutName)), value: Liveness.userTimeout)
            .channelOption(.autoRead, value: false)
            .channelOption(.maxMessagesPerRead, value: 1)
    }
}
