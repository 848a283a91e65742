import Glibc
import NIOCore
import NIOPosix
import NIOSSL
import TestSupport

/// A server on 127.0.0.1, on a port found free, that does what a test tells it to.
///
/// Each connection gets the handlers that the test makes; the ``Peer`` at their end obeys the test.
final class FakeServer: Sendable {
    let port: Int
    private let channel: any Channel
    private let peers: Locked<[Peer]>

    /// `tls` speaks TLS from the first byte. Without `reads` the server never takes a byte.
    static func start(
        tls: NIOSSLContext? = nil, reads: Bool = true,
        onConnect: @escaping @Sendable (Peer) -> Void = { _ in }
    ) async throws -> FakeServer {
        let peers = Locked<[Peer]>([])
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.autoRead, value: reads)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let peer = Peer(channel)
                    peers.change { $0.append(peer) }
                    if let tls {
                        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls))
                    }
                    try channel.pipeline.syncOperations.addHandler(PeerHandler(peer, onConnect: onConnect))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return FakeServer(channel, peers)
    }

    private init(_ channel: any Channel, _ peers: Locked<[Peer]>) {
        self.channel = channel
        self.port = channel.localAddress?.port ?? 0
        self.peers = peers
    }

    /// The connection that came last, once it is there.
    func peer() async throws -> Peer {
        try await eventually("a connection") { self.peers.value.last }
    }

    func stop() async {
        for peer in peers.value { peer.channel.close(promise: nil) }
        try? await channel.close()
    }
}

/// One connection, as the server has it.
final class Peer: Sendable {
    let channel: any Channel
    private let inbox = Locked(ByteBuffer())
    private let ended = Locked(false)

    init(_ channel: any Channel) { self.channel = channel }

    var received: ByteBuffer { inbox.value }
    var hasEnded: Bool { ended.value }

    func send(_ text: String) { send(ByteBuffer(string: text)) }
    func send(_ bytes: ByteBuffer) { channel.writeAndFlush(bytes, promise: nil) }

    /// Ends the connection without the words that TLS wants at the end.
    func hangUp(reset: Bool = false) async throws {
        if reset {
            let options = channel as? any SocketOptionProvider
            try await options?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        }
        let tls = try? await channel.pipeline.context(handlerType: NIOSSLServerHandler.self).map { _ in true }
            .get()
        if tls == true { try await cutBelowTLS() } else { try await channel.close() }
    }

    func upgrade(_ context: NIOSSLContext) async throws {
        try await channel.eventLoop.submit { [channel] in
            try channel.pipeline.syncOperations.addHandler(
                NIOSSLServerHandler(context: context), position: .first)
        }.get()
    }

    private func cutBelowTLS() async throws {
        try await channel.eventLoop.submit { [channel] in
            let context = try channel.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)
            context.close(promise: nil)
        }.get()
    }

    fileprivate func note(_ bytes: ByteBuffer) {
        inbox.change { $0.writeImmutableBuffer(bytes) }
    }

    fileprivate func noteEnd() { ended.change { $0 = true } }
}

final class PeerHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let peer: Peer
    private let onConnect: @Sendable (Peer) -> Void

    init(_ peer: Peer, onConnect: @escaping @Sendable (Peer) -> Void) {
        self.peer = peer
        self.onConnect = onConnect
    }

    func channelActive(context: ChannelHandlerContext) { onConnect(peer) }
    func channelRead(context: ChannelHandlerContext, data: NIOAny) { peer.note(unwrapInboundIn(data)) }
    func channelInactive(context: ChannelHandlerContext) { peer.noteEnd() }
    /// A client that refuses our certificate is what some tests are about.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}
