import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// A simulated IMAP server on 127.0.0.1: one account, any number of clients, and the habits of a real server.
///
/// It imports nothing of ours, so that it cannot share our mistakes. Plaintext is enough: it never leaves this
/// machine. `docs/Quirks.md` describes the servers. User `ann`, password `hunter2`.
public final class DialectServer: Sendable {
    /// How a session on its event loop is reached from elsewhere.
    struct Line: Sendable {
        /// Look whether there is something to tell.
        var poke: @Sendable () -> Void
        var close: @Sendable () -> Void
    }

    private let shared: Mutex<ServerState>
    private let sessions = Mutex<(next: Int, open: [Int: Line])>((1, [:]))
    private let listener: Mutex<(any Channel)?>

    public var port: Int { listener.withLock { $0?.localAddress?.port } ?? 0 }

    private init(_ profile: DialectProfile) {
        shared = Mutex(ServerState(profile))
        listener = Mutex(nil)
    }

    /// Listens on a free port.
    ///
    /// - Parameter profile: how it talks.
    /// - Returns: the server, until ``stop()``.
    /// - Throws: what the system says when there is no port.
    public static func start(_ profile: DialectProfile) async throws -> DialectServer {
        let server = DialectServer(profile)
        let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.backlog, value: 64)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(SessionHandler(server))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        server.listener.withLock { $0 = channel }
        return server
    }

    /// Takes no more connections, and ends those that there are.
    public func stop() async {
        let channel = listener.withLock { $0 }
        try? await channel?.close()
        hangUp()
    }

    /// Ends every connection, as a server that is restarted does.
    public func hangUp() {
        for line in sessions.withLock({ Array($0.open.values) }) { line.close() }
    }

    /// A fresh account on the same port, with another dialect if wanted. Old sessions are ended.
    public func reset(to profile: DialectProfile) {
        shared.withLock { $0 = ServerState(profile, epoch: $0.epoch + 1) }
        hangUp()
    }

    // MARK: The truth, and what others do to it

    public var profile: DialectProfile { shared.withLock { $0.profile } }

    public var model: MailModel { shared.withLock { $0.model } }

    /// Another client acts. Clients in IDLE hear of it.
    @discardableResult
    public func act<Result: Sendable>(_ body: (inout MailModel) throws -> Result) rethrows -> Result {
        let result = try shared.withLock { try body(&$0.model) }
        poke()
        return result
    }

    /// Time goes by; idle sessions may be ended by it.
    public func advance(seconds: Int64) {
        shared.withLock { $0.model.clock.advance(seconds) }
        poke()
    }

    // MARK: Trouble

    public func arm(_ faults: Fault...) { arm(faults) }

    public func arm(_ faults: [Fault]) { shared.withLock { $0.faults.arm(faults) } }

    /// Every connection together may send so many more responses; then the one that sends the last ends.
    public func closeAfterResponses(_ count: Int?) { shared.withLock { $0.responsesLeft = count } }

    /// Whether something is still to go wrong.
    public var isArmed: Bool { shared.withLock { !$0.faults.isEmpty } }

    /// Nothing goes wrong from here on.
    public func disarm() {
        shared.withLock {
            $0.faults.disarm()
            $0.responsesLeft = nil
        }
    }

    // MARK: What was heard

    public var transcript: [HeardCommand] { shared.withLock { $0.transcript } }

    public func clearTranscript() { shared.withLock { $0.transcript = [] } }

    /// Things that no client may ever do: see ``ServerState/note(_:)``.
    public var violations: [String] { shared.withLock { $0.violations } }

    /// EXPUNGE and CLOSE are noted as every other violation, and do not end all service.
    public func onlyNotesForbidden() { shared.withLock { $0.endsOnForbidden = false } }

    public var responsesSent: Int { shared.withLock { $0.responsesSent } }
    public var octetsSent: Int { shared.withLock { $0.octetsSent } }

    // MARK: Sessions

    func open() -> (session: Session, output: Session.Output) {
        let number = sessions.withLock { sessions in
            defer { sessions.next += 1 }
            return sessions.next
        }
        return shared.withLock { state in
            let session = Session(number: number, state: state)
            return (session, session.greeting(&state))
        }
    }

    func register(_ number: Int, _ line: Line) { sessions.withLock { $0.open[number] = line } }

    func forget(_ number: Int) { sessions.withLock { _ = $0.open.removeValue(forKey: number) } }

    func run(_ body: (inout ServerState) -> Session.Output) -> Session.Output {
        shared.withLock { state in
            let output = body(&state)
            state.octetsSent += output.bytes.count
            return output
        }
    }

    /// Lets every other session look whether there is something to tell.
    func poke(except number: Int = 0) {
        let others = sessions.withLock { $0.open.filter { $0.key != number }.values.map(\.poke) }
        for poke in others { poke() }
    }
}

/// The socket of one session. Everything happens on its event loop.
private final class SessionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let server: DialectServer
    private var session: Session?

    init(_ server: DialectServer) { self.server = server }

    func channelActive(context: ChannelHandlerContext) {
        let (opened, output) = server.open()
        session = opened
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let loop = context.eventLoop
        server.register(
            opened.number,
            DialectServer.Line {
                loop.execute { bound.value.0.push(bound.value.1) }
            } close: {
                loop.execute { bound.value.1.close(promise: nil) }
            })
        write(output, context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if let session { server.forget(session.number) }
        session = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        let output = server.run { state in
            session?.receive(bytes.readableBytesView, &state) ?? Session.Output()
        }
        write(output, context)
        if !output.bytes.isEmpty { server.poke(except: session?.number ?? 0) }
    }

    func push(_ context: ChannelHandlerContext) {
        write(server.run { state in session?.push(&state) ?? Session.Output() }, context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func write(_ output: Session.Output, _ context: ChannelHandlerContext) {
        if !output.bytes.isEmpty {
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: output.bytes)), promise: nil)
        }
        if output.resets { return context.reset() }
        // Only our half: a reset would tear away what the client has not read yet.
        if output.closes { context.close(mode: .output, promise: nil) }
    }
}

extension ChannelHandlerContext {
    /// Ends the connection with an RST: what is on its way is lost.
    func reset() {
        let channel = channel
        guard let provider = channel as? any SocketOptionProvider else { return channel.close(promise: nil) }
        provider.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in channel.close(promise: nil)
        }
    }
}
