public import Logging
import NIOConcurrencyHelpers
public import NIOCore

/// One TCP connection to a server, with or without TLS. All memory is limited.
///
/// One task may receive and one may send at a time; a second one gets `.busy`. A cancelled task closes the connection,
/// because the exchange is incomplete. A ``receive(timeout:)`` that times out keeps the connection and loses no byte;
/// every other failure ends it.
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
        /// When the current ``receive(timeout:)`` began; nil: no caller waits.
        var receivesSince: ContinuousClock.Instant?
        /// When the current piece was passed to the system; nil: nothing is being sent.
        var sendsSince: ContinuousClock.Instant?
    }

    /// The bytes written to the channel at once, few enough that a timeout measures progress.
    private static let pieceSize = 64 * 1024
    private static let oneLook = Duration.milliseconds(10)

    init(_ opened: PendingDial.Opened, endpoint: Endpoint, timeouts: Timeouts, logger: Logger) {
        self.endpoint = endpoint
        self.channel = opened.channel
        self.inbound = opened.inbound
        self.timeouts = timeouts
        self.logger = logger
    }

    deinit { channel.close(promise: nil) }

    /// Connects and, with `.tls`, completes the handshake. With `.startTLS`, the connection is in plaintext until the
    /// caller has used its protocol's command and calls ``startTLS(_:)``. `others`: the registry that ends the
    /// connection if a change of the network has cut it.
    public static func open(
        _ endpoint: Endpoint, security: TransportSecurity, timeouts: Timeouts = Timeouts(),
        among others: OpenConnections? = nil, logger: Logger
    ) async throws(TransportError) -> Connection {
        let trust: TLSTrust?
        switch security {
        case .tls(let policy): trust = try makeTrust(policy, endpoint: endpoint)
        case .startTLS, .plaintext: trust = nil
        }
        let opened: PendingDial.Opened
        let dial = PendingDial()
        others?.add(dial)
        do {
            let staysHere = security == .plaintext && endpoint.isLoopback
            opened =
                staysHere
                ? try await Dial.connectHere(endpoint, timeout: TimeAmount(timeouts.connect))
                : try await Dial.connect(
                    endpoint, timeout: TimeAmount(timeouts.connect), dial)
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

    /// Returns when the system has taken the last byte. This does not prove that the peer received it.
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

    /// The next bytes, at least one; nil: the stream ended properly.
    ///
    /// The socket is read only during this call. The bytes may be divided anywhere. A timeout of zero returns what has
    /// already arrived; the event loop checks once.
    public func receive(timeout: Duration? = nil) async throws(TransportError) -> ByteBuffer? {
        let limit = TimeAmount(max(timeout ?? timeouts.receive, Self.oneLook))
        flags.withLockedValue { $0.receivesSince = .now }
        defer { flags.withLockedValue { $0.receivesSince = nil } }
        return try await receive { handler, loop in handler.receive(timeout: limit, on: loop) }
    }

    /// Like ``receive(timeout:)``, without a timeout: throws `.timedOut` after `wakeup` was fired.
    public func receive(until wakeup: Wakeup) async throws(TransportError) -> ByteBuffer? {
        try await receive { handler, loop in handler.receive(until: wakeup, on: loop) }
    }

    /// An object that can end one ``receive(until:)`` of this connection.
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

    /// Starts TLS after the peer agreed to it in its protocol. RFC 3207 §4.2.
    ///
    /// Throws `.plaintextAfterStartTLS` if a byte was received that no caller has read. The caller must check its own
    /// buffer too, and ignore everything that the peer sent before.
    public func startTLS(_ policy: TLSPolicy) async throws(TransportError) {
        try await encrypt(Self.makeTrust(policy, endpoint: endpoint), afterPlaintext: true)
    }

    /// Compresses both directions from here on, after the peer agreed to it in its protocol. RFC 4978 §3.
    ///
    /// Fails if a byte was received that no caller has read, because it could be compressed or not.
    public func compress() async throws(TransportError) {
        try await closingOnCancel { [inbound] channel in
            channel.eventLoop.submit { try inbound.value.compress() }
        }
        logger.trace("compressed", metadata: ["server": "\(endpoint)"])
    }

    /// Inserts the handlers of a protocol between TLS and this connection. The last one must output bytes.
    ///
    /// A ``StreamEnd`` that it fires is a proper end of the stream.
    public func insert(_ make: @escaping @Sendable () -> [any ChannelHandler]) async throws(TransportError) {
        try await closingOnCancel { [inbound] channel in
            channel.eventLoop.submit { try inbound.value.insert(make()) }
        }
    }

    /// Closes the connection properly. Waits at most half a second for the peer.
    public func close() async {
        let done = channel.eventLoop.flatSubmit { [channel, inbound] in
            inbound.value.close()
            return channel.close()
        }
        try? await done.get()
        logger.trace("closed", metadata: ["server": "\(endpoint)"])
    }
}

// MARK: - Ends from outside

extension Connection {
    /// From here on, ``OpenConnections`` does not end the connection. Call this before an exchange whose result would
    /// otherwise be unknown.
    ///
    /// If the connection has already ended, the next ``receive(timeout:)`` throws the reason.
    public func keepToTheEnd() { flags.withLockedValue { $0.isKept = true } }

    var isOnThisMachine: Bool {
        channel.localAddress?.ipAddress.map(LocalNetwork.isLoopback) ?? false
    }

    func isCarried(by network: LocalNetwork) -> Bool {
        guard let local = channel.localAddress, let remote = channel.remoteAddress else { return true }
        return network.carries(
            local.ipAddress, hasRoute: LocalNetwork.hasRoute(from: local, to: remote))
    }

    /// How long the peer has neither sent nor taken a byte while a caller waits for that; nil: no caller waits.
    /// ``receive(until:)`` does not count: it waits for news, not for a response.
    var silence: Duration? {
        let since = flags.withLockedValue { [$0.receivesSince, $0.sendsSince].compactMap(\.self).max() }
        return since.map { .now - $0 }
    }

    /// Ends it with `code`, unless it is kept. Returns whether it ended it.
    func end(_ code: TransportError.Code) -> Bool {
        let isEnded = flags.withLockedValue { flags in
            guard !flags.isKept, channel.isActive else { return false }
            // Inside the lock, so that a caller that keeps the connection afterwards sees its end.
            channel.eventLoop.execute { [inbound] in inbound.value.end(code) }
            return true
        }
        if isEnded {
            logger.debug("ended from outside", metadata: ["server": "\(endpoint)", "reason": "\(code)"])
        }
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
            // The peer answered the handshake with text that it had sent before.
            guard afterPlaintext, error.code == .notTLS else { throw error }
            throw TransportError(.plaintextAfterStartTLS, endpoint: endpoint)
        }
        flags.withLockedValue { $0.isEncrypted = true }
        logger.trace("encrypted", metadata: ["server": "\(endpoint)"])
    }

    private func sendPiece(_ piece: ByteBuffer) async throws(TransportError) {
        let alarm = NIOLockedValueBox(false)
        let limit = TimeAmount(timeouts.send)
        flags.withLockedValue { $0.sendsSince = .now }
        defer { flags.withLockedValue { $0.sendsSince = nil } }
        do {
            try await closingOnCancel { channel in
                let timer = channel.eventLoop.scheduleTask(in: limit) {
                    alarm.withLockedValue { $0 = true }
                    channel.close(promise: nil)
                }
                // The timer ends with the write, because this task may continue much later on a busy machine.
                return channel.writeAndFlush(piece).always { _ in timer.cancel() }
            }
        } catch {
            guard alarm.withLockedValue({ $0 }) else { throw error }
            throw TransportError(.timedOut(.send), endpoint: endpoint)
        }
    }

    /// Waits for the operation that `start` began. A cancelled task closes the channel, which completes every promise.
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

    /// The reason that the channel reported is more precise than that of a later write.
    private func reason(for error: any Error) async -> TransportError.Code {
        let code = FailureReason.code(for: error, policy: nil, peer: nil)
        guard code == .closedByPeer else { return code }
        let recorded = try? await channel.eventLoop.submit { [inbound] in inbound.value.failure }.get()
        return (recorded ?? nil) ?? code
    }
}
