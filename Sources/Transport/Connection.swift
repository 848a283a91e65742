public import Logging
import NIOConcurrencyHelpers
public import NIOCore

/// One TCP connection to a server, with or without TLS: bytes out, bytes in, nothing unbounded.
///
/// One task may receive and one may send at a time; a second one gets `.busy`. A cancelled task closes the
/// connection, because half an exchange is worth nothing. A ``receive(timeout:)`` that timed out leaves it
/// open and loses no byte; every other failure ends it.
public final class Connection: Sendable {
    public let endpoint: Endpoint
    private let channel: any Channel
    private let inbound: NIOLoopBound<InboundHandler>
    public let timeouts: Timeouts
    let logger: Logger
    private let flags = NIOLockedValueBox(Flags())

    private struct Flags {
        var isEncrypted = false
        var isSending = false
        /// See ``keepToTheEnd()``.
        var isKept = false
    }

    /// Bytes handed to the channel at once: small enough that a timeout measures progress.
    private static let pieceSize = 64 * 1024
    private static let oneLook = Duration.milliseconds(10)

    init(_ opened: Dial.Opened, endpoint: Endpoint, timeouts: Timeouts, logger: Logger) {
        self.endpoint = endpoint
        self.channel = opened.channel
        self.inbound = opened.inbound
        self.timeouts = timeouts
        self.logger = logger
    }

    deinit { channel.close(promise: nil) }

    /// Connects, and with `.tls` completes the handshake. With `.startTLS` the connection is still in
    /// plaintext: the caller speaks its protocol's words and then calls ``startTLS(_:)``. `others`: the connection is
    /// ended with them when the network of this machine no longer carries it.
    public static func open(
        _ endpoint: Endpoint, security: TransportSecurity, timeouts: Timeouts = Timeouts(),
        among others: OpenConnections? = nil, logger: Logger
    ) async throws(TransportError) -> Connection {
        let trust: TLSTrust?
        switch security {
        case .tls(let policy): trust = try makeTrust(policy, endpoint: endpoint)
        case .startTLS, .plaintext: trust = nil
        }
        let opened: Dial.Opened
        do {
            let staysHere = security == .plaintext && endpoint.isLoopback
            opened =
                staysHere
                ? try await Dial.connectHere(endpoint, timeout: TimeAmount(timeouts.connect))
                : try await Dial.connect(
                    endpoint, timeout: TimeAmount(timeouts.connect), among: others)
        } catch {
            throw TransportError(Task.isCancelled ? .cancelled : error.code, endpoint: endpoint)
        }
        let connection = Connection(opened, endpoint: endpoint, timeouts: timeouts, logger: logger)
        others?.add(connection)
        logger.trace("connected", metadata: ["server": "\(endpoint)"])
        if let trust {
            do {
                try await connection.encrypt(trust)
            } catch {
                throw await connection.betterReason(than: error)
            }
        }
        return connection
    }

    public var isEncrypted: Bool { flags.withLockedValue { $0.isEncrypted } }

    /// Returns when the system took the last byte; that does not prove that the peer has it.
    public func send(_ bytes: ByteBuffer) async throws(TransportError) {
        let isAlone = flags.withLockedValue { flags in
            defer { flags.isSending = true }
            return !flags.isSending
        }
        guard isAlone else { throw TransportError(.busy, endpoint: endpoint) }
        defer { flags.withLockedValue { $0.isSending = false } }
        var rest = bytes
        while let piece = rest.readSlice(length: min(rest.readableBytes, Self.pieceSize)),
            piece.readableBytes > 0
        {
            try await sendPiece(piece)
        }
        logger.trace("sent", metadata: ["server": "\(endpoint)", "bytes": "\(bytes.readableBytes)"])
    }

    /// The next bytes, at least one; nil at an orderly end of the stream.
    ///
    /// The socket is read only while a caller waits here. Bytes may be cut anywhere. A timeout of zero
    /// asks for what came already: it still leaves the event loop the time to look once.
    public func receive(timeout: Duration? = nil) async throws(TransportError) -> ByteBuffer? {
        let limit = TimeAmount(max(timeout ?? timeouts.receive, Self.oneLook))
        return try await receive { handler, loop in handler.receive(timeout: limit, on: loop) }
    }

    /// As ``receive(timeout:)``, without a limit of its own: `.timedOut` is thrown once `wakeup` is fired.
    public func receive(until wakeup: Wakeup) async throws(TransportError) -> ByteBuffer? {
        try await receive { handler, loop in handler.receive(until: wakeup, on: loop) }
    }

    /// An event that can end one ``receive(until:)`` of this connection.
    public func makeWakeup() -> Wakeup { Wakeup(inbound, on: channel.eventLoop) }

    private func receive(
        _ start: @escaping @Sendable (InboundHandler, any EventLoop) -> EventLoopFuture<ByteBuffer?>
    ) async throws(TransportError) -> ByteBuffer? {
        let bytes = try await closingOnCancel { [inbound] channel in
            channel.eventLoop.flatSubmit { start(inbound.value, channel.eventLoop) }
        }
        if bytes == nil, Task.isCancelled { throw TransportError(.cancelled, endpoint: endpoint) }
        let count = bytes.map { "\($0.readableBytes)" } ?? "end"
        logger.trace("received", metadata: ["server": "\(endpoint)", "bytes": "\(count)"])
        return bytes
    }

    /// Upgrades to TLS, after the peer agreed to it in its own protocol.
    ///
    /// Fails with `.plaintextAfterStartTLS` when a byte was received and not yet handed out. The caller
    /// must check its own buffer too, and forget everything the peer said before. RFC 3207 §4.2.
    public func startTLS(_ policy: TLSPolicy) async throws(TransportError) {
        try await encrypt(Self.makeTrust(policy, endpoint: endpoint), afterPlaintext: true)
    }

    /// Compresses everything from here on, both ways, after the peer agreed to it in its own protocol.
    ///
    /// Fails when a byte was received and not yet handed out: it would belong to either side of the change.
    /// RFC 4978 §3.
    public func compress() async throws(TransportError) {
        try await closingOnCancel { [inbound] channel in
            channel.eventLoop.submit { try inbound.value.compress() }
        }
        logger.trace("compressed", metadata: ["server": "\(endpoint)"])
    }

    /// Puts the handlers of a protocol between TLS and this connection: the last of them must pass on octets.
    ///
    /// A ``StreamEnd`` that it fires is an orderly end for the one who receives.
    public func insert(_ make: @escaping @Sendable () -> [any ChannelHandler]) async throws(TransportError) {
        try await closingOnCancel { [inbound] channel in
            channel.eventLoop.submit { try inbound.value.insert(make()) }
        }
    }

    /// Ends the connection in order, waiting half a second at most for the peer's farewell.
    public func close() async {
        let done = channel.eventLoop.flatSubmit { [channel, inbound] in
            inbound.value.close()
            return channel.close()
        }
        try? await done.get()
        logger.trace("closed", metadata: ["server": "\(endpoint)"])
    }
}

// MARK: - Changes of the network

extension Connection {
    /// From here on, a change of the network does not end the connection: for an exchange whose outcome would be unknown.
    ///
    /// If the connection was ended before, the next ``receive(timeout:)`` says so.
    public func keepToTheEnd() { flags.withLockedValue { $0.isKept = true } }

    var isOnThisMachine: Bool {
        channel.localAddress?.ipAddress.map(LocalNetwork.isLoopback) ?? false
    }

    func isCarried(by network: LocalNetwork) -> Bool {
        guard let local = channel.localAddress, let remote = channel.remoteAddress else { return true }
        return network.carries(
            local.ipAddress, hasRoute: LocalNetwork.hasRoute(from: local, to: remote))
    }

    /// Ends it with `.networkChanged`, unless it is kept.
    func endByNetwork() -> Bool {
        let isEnded = flags.withLockedValue { flags in
            guard !flags.isKept, channel.isActive else { return false }
            // Within the lock: a caller that keeps the connection after this sees its end.
            channel.eventLoop.execute { [inbound] in inbound.value.end(.networkChanged) }
            return true
        }
        if isEnded { logger.debug("ended by a change of the network", metadata: ["server": "\(endpoint)"]) }
        return isEnded
    }
}

// MARK: - Waiting

extension Connection {
    private static func makeTrust(_ policy: TLSPolicy, endpoint: Endpoint) throws(TransportError) -> TLSTrust
    {
        do {
            return try TLSTrust.kept(policy)
        } catch {
            throw TransportError(error.code, endpoint: endpoint)
        }
    }

    private func encrypt(_ trust: TLSTrust, afterPlaintext: Bool = false) async throws(TransportError) {
        let limit = TimeAmount(timeouts.tls)
        do {
            try await closingOnCancel { [inbound] channel in
                channel.eventLoop.flatSubmit {
                    inbound.value.startTLS(trust, timeout: limit, on: channel.eventLoop)
                }
            }
        } catch {
            channel.close(promise: nil)
            // What answered our handshake was text: it was in the pipe before the handshake began.
            guard afterPlaintext, error.code == .notTLS else { throw error }
            throw TransportError(.plaintextAfterStartTLS, endpoint: endpoint)
        }
        flags.withLockedValue { $0.isEncrypted = true }
        logger.trace("encrypted", metadata: ["server": "\(endpoint)"])
    }

    private func sendPiece(_ piece: ByteBuffer) async throws(TransportError) {
        let alarm = NIOLockedValueBox(false)
        let limit = TimeAmount(timeouts.send)
        do {
            try await closingOnCancel { channel in
                let timer = channel.eventLoop.scheduleTask(in: limit) {
                    alarm.withLockedValue { $0 = true }
                    channel.close(promise: nil)
                }
                // Ended where the write ends: this task may be called back much later on a busy machine.
                return channel.writeAndFlush(piece).always { _ in timer.cancel() }
            }
        } catch {
            guard alarm.withLockedValue({ $0 }) else { throw error }
            throw TransportError(.timedOut(.send), endpoint: endpoint)
        }
    }

    /// Waits for what `start` began. A cancelled task closes the channel, which completes every promise.
    private func closingOnCancel<Value: Sendable>(
        _ start: @Sendable (any Channel) -> EventLoopFuture<Value>
    ) async throws(TransportError) -> Value {
        do {
            return try await withTaskCancellationHandler {
                try await start(channel).get()
            } onCancel: {
                channel.close(promise: nil)
            }
        } catch {
            if Task.isCancelled { throw TransportError(.cancelled, endpoint: endpoint) }
            throw TransportError(await reason(for: error), endpoint: endpoint)
        }
    }

    /// The reason that the channel itself reported is better than the one that a late write saw.
    private func reason(for error: any Error) async -> TransportError.Code {
        let code = FailureReason.code(for: error, policy: nil, peer: nil)
        guard code == .closedByPeer else { return code }
        let recorded = try? await channel.eventLoop.submit { [inbound] in inbound.value.failure }.get()
        return (recorded ?? nil) ?? code
    }
}
