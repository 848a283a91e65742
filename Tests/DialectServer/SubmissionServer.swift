import NIOCore
import NIOPosix
import Synchronization

/// A message that the submission server took.
public struct Delivery: Equatable, Sendable {
    public var sender: String
    public var recipients: [String]
    /// Without the dots that the transport added.
    public var bytes: [UInt8]
}

/// Everything that the sessions of one submission server share.
struct SubmissionState {
    var deliveries: [Delivery] = []
    var faults = SubmissionFaultPlan()
    /// Commands, without what AUTH says.
    var transcript: [String] = []
    var violations: [String] = []
    /// Replies to RCPT by the beginning of the address.
    var refusals: [String: String] = [:]

    mutating func note(_ violation: String) { violations.append(violation) }
}

/// A simulated submission server on 127.0.0.1, beside the IMAP one: what it takes may turn up in a mailbox there.
///
/// It imports nothing of ours. Plaintext, AUTH PLAIN, user `ann`, password `hunter2`. Nothing is ever relayed.
public final class SubmissionServer: Sendable {
    private let shared = Mutex(SubmissionState())
    private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])
    private let listener = Mutex<(any Channel)?>(nil)
    /// Called with each message that is stored, before the reply to the dot.
    private let onDelivery: @Sendable (Delivery) -> Void

    public var port: Int { listener.withLock { $0?.localAddress?.port } ?? 0 }

    private init(_ onDelivery: @escaping @Sendable (Delivery) -> Void) { self.onDelivery = onDelivery }

    /// Listens on a free port.
    public static func start(
        onDelivery: @escaping @Sendable (Delivery) -> Void = { _ in }
    ) async throws -> SubmissionServer {
        let server = SubmissionServer(onDelivery)
        let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.backlog, value: 64)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(SubmissionHandler(server))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        server.listener.withLock { $0 = channel }
        return server
    }

    /// Beside an IMAP server: a provider that files sent mail itself does so in `mailbox`.
    public static func start(
        beside server: DialectServer, filingIn mailbox: String? = nil
    ) async throws -> SubmissionServer {
        try await start { delivery in
            guard let mailbox else { return }
            server.act { _ = $0.deliver(delivery.bytes, to: mailbox, flags: ["\\Seen"]) }
        }
    }

    public func stop() async {
        try? await listener.withLock { $0 }?.close()
        hangUp()
    }

    public func hangUp() {
        for channel in channels.withLock({ Array($0.values) }) { channel.close(promise: nil) }
    }

    // MARK: Trouble

    public func arm(_ faults: SubmissionFault...) { shared.withLock { $0.faults.arm(faults) } }

    public func disarm() { shared.withLock { $0.faults.disarm() } }

    /// RCPT of an address that begins so gets this reply.
    public func refuse(_ address: String, _ reply: String) {
        shared.withLock { $0.refusals[address] = reply }
    }

    // MARK: What was heard

    public var deliveries: [Delivery] {
        get { shared.withLock { $0.deliveries } }
        set { shared.withLock { $0.deliveries = newValue } }
    }

    public var transcript: [String] { shared.withLock { $0.transcript } }

    public func clearTranscript() { shared.withLock { $0.transcript = [] } }

    public var violations: [String] { shared.withLock { $0.violations } }

    // MARK: Sessions

    func run(_ body: (inout SubmissionState) -> SubmissionSession.Output) -> SubmissionSession.Output {
        // The delivery is reported outside the lock, because the receiver may take another lock.
        let (output, fresh) = shared.withLock { state in
            let before = state.deliveries.count
            let output = body(&state)
            return (output, state.deliveries.dropFirst(before))
        }
        for delivery in fresh { onDelivery(delivery) }
        return output
    }

    func register(_ channel: any Channel) { channels.withLock { $0[ObjectIdentifier(channel)] = channel } }

    func forget(_ channel: any Channel) { channels.withLock { $0[ObjectIdentifier(channel)] = nil } }
}

/// The socket of one session.
private final class SubmissionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let server: SubmissionServer
    private var session = SubmissionSession()

    init(_ server: SubmissionServer) { self.server = server }

    func channelActive(context: ChannelHandlerContext) {
        server.register(context.channel)
        write(server.run { session.greeting(&$0) }, context)
    }

    func channelInactive(context: ChannelHandlerContext) { server.forget(context.channel) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        write(server.run { session.receive(bytes.readableBytesView, &$0) }, context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func write(_ output: SubmissionSession.Output, _ context: ChannelHandlerContext) {
        if !output.bytes.isEmpty {
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: output.bytes)), promise: nil)
        }
        if output.resets { return context.reset() }
        if output.closes { context.close(mode: .output, promise: nil) }
    }
}
