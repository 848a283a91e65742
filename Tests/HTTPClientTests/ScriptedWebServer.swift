import Foundation
import NIOCore
import NIOPosix
import TestSupport

/// A web server on 127.0.0.1 that gives each connection the next of its answers, octet for octet, and keeps what it was sent.
final class ScriptedWebServer: Sendable {
    enum Ending: Sendable { case close, stay, dripping }

    let port: Int
    private let channel: any Channel
    private let received: Locked<[String]>

    var requests: [String] { received.value }

    static func start(_ answers: [String], ending: Ending = .close) async throws -> ScriptedWebServer {
        let received = Locked<[String]>([])
        let rest = Locked(answers)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        WebPeer(received: received, rest: rest, ending: ending))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return ScriptedWebServer(channel, received)
    }

    private init(_ channel: any Channel, _ received: Locked<[String]>) {
        self.channel = channel
        self.received = received
        port = channel.localAddress?.port ?? 0
    }

    func stop() async { try? await channel.close() }
}

private final class WebPeer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let received: Locked<[String]>
    private let rest: Locked<[String]>
    private let ending: ScriptedWebServer.Ending
    private var text = ""

    init(received: Locked<[String]>, rest: Locked<[String]>, ending: ScriptedWebServer.Ending) {
        self.received = received
        self.rest = rest
        self.ending = ending
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        text += String(buffer: unwrapInboundIn(data))
        guard let head = text.range(of: "\r\n\r\n") else { return }
        let length = text.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
        let wanted = length.flatMap { Int($0.dropFirst("content-length:".count).filter { $0 != " " }) } ?? 0
        guard text[head.upperBound...].utf8.count >= wanted else { return }
        received.change { $0.append(text) }
        text = ""
        let answer = rest.value.first ?? ""
        rest.change { $0 = Array($0.dropFirst()) }
        switch ending {
        case .close:
            context.writeAndFlush(NIOAny(ByteBuffer(string: answer)), promise: nil)
            context.close(promise: nil)
        case .stay:
            context.writeAndFlush(NIOAny(ByteBuffer(string: answer)), promise: nil)
        case .dripping:
            context.writeAndFlush(NIOAny(ByteBuffer(string: answer)), promise: nil)
            drip(context.channel)
        }
    }

    /// An octet now and then, for ever.
    private func drip(_ channel: any Channel) {
        channel.eventLoop.scheduleRepeatedTask(initialDelay: .milliseconds(20), delay: .milliseconds(20)) {
            task in
            guard channel.isActive else { return task.cancel() }
            channel.writeAndFlush(ByteBuffer(string: "x"), promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}
