import NIOCore
import NIOPosix
import Synchronization

/// An SMTP server on 127.0.0.1 that follows a script to the byte: what it hears otherwise is written down
/// and ends the conversation.
final class ScriptedServer: Sendable {
    enum Step: Equatable, Sendable {
        case say(String)
        /// The next bytes, exactly.
        case hear(String)
        case hangUp
        case pause(milliseconds: Int64)
    }

    let port: Int
    private let channel: any Channel
    private let log: Log

    static func start(_ steps: Step...) async throws -> ScriptedServer { try await start(steps) }

    static func start(_ steps: [Step]) async throws -> ScriptedServer {
        let log = Log()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ScriptHandler(steps, log))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return ScriptedServer(channel, log)
    }

    private init(_ channel: any Channel, _ log: Log) {
        self.channel = channel
        self.port = channel.localAddress?.port ?? 0
        self.log = log
    }

    /// Everything that came so far.
    var heard: String { log.heard.withLock { $0 } }

    /// Waits for the client to hang up; nil when the script was followed to its end.
    func deviation() async throws -> String? {
        for _ in 0..<1_000 where !log.hasEnded.withLock({ $0 }) {
            try await Task.sleep(for: .milliseconds(5))
        }
        try? await channel.close()
        return log.deviation.withLock { $0 }
    }

    final class Log: Sendable {
        let heard = Mutex("")
        let deviation = Mutex<String?>("nobody came")
        let hasEnded = Mutex(false)
    }
}

private final class ScriptHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var steps: ArraySlice<ScriptedServer.Step>
    private var pending = ""
    private var isPaused = false
    private let log: ScriptedServer.Log

    init(_ steps: [ScriptedServer.Step], _ log: ScriptedServer.Log) {
        self.steps = steps[...]
        self.log = log
    }

    func channelActive(context: ChannelHandlerContext) { advance(context) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let text = String(buffer: unwrapInboundIn(data))
        pending += text
        log.heard.withLock { $0 += text }
        advance(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        let rest = Array(steps.prefix(1))
        if !rest.isEmpty || !pending.isEmpty {
            deviate("ended before \(rest), unread \(pending.debugDescription)")
        }
        if steps.isEmpty, pending.isEmpty { log.deviation.withLock { $0 = $0 == "nobody came" ? nil : $0 } }
        log.hasEnded.withLock { $0 = true }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func advance(_ context: ChannelHandlerContext) {
        while !isPaused, let step = steps.first {
            switch step {
            case .say(let text):
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
            case .hear(let text):
                // Compared as bytes: CR LF is one Character, and half of it must match too.
                guard pending.utf8.starts(with: text.utf8) else {
                    if text.utf8.starts(with: pending.utf8) { return }
                    deviate("wanted \(text.debugDescription), heard \(pending.debugDescription)")
                    return context.close(promise: nil)
                }
                pending = String(decoding: pending.utf8.dropFirst(text.utf8.count), as: UTF8.self)
            case .hangUp:
                steps = []
                return context.close(promise: nil)
            case .pause(let milliseconds):
                pause(context, .milliseconds(milliseconds))
            }
            steps = steps.dropFirst()
        }
    }

    private func pause(_ context: ChannelHandlerContext, _ time: TimeAmount) {
        isPaused = true
        context.eventLoop.assumeIsolated().scheduleTask(in: time) {
            self.isPaused = false
            self.advance(context)
        }
    }

    private func deviate(_ text: String) {
        log.deviation.withLock { $0 = $0 == "nobody came" || $0 == nil ? text : $0 }
    }
}
