import NIOCore
import NIOPosix
import Testing
import Transport

/// A server that writes its answer in two pieces, with Nagle's algorithm on: the system holds the second piece back until
/// the first one is acknowledged. Linux delays that by 40 ms unless it is told otherwise with each read.
@Suite(.timeLimit(.minutes(5))) struct QuickAckTests {
    /// Linux acknowledges the first answers of a connection at once by itself.
    private static let warmUp = 40
    private static let rounds = 200
    private static let wanted = 5
    /// Half of the shortest time that Linux delays an acknowledgement, `TCP_DELACK_MIN`.
    private static let limit = Duration.milliseconds(20)

    @Test func `a response in two pieces does not wait for a delayed acknowledgement`() async throws {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 0)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(TwoPieces())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let connection = try await ConnectionTests.open(server.localAddress?.port ?? 0)
        // A busy machine slows some rounds down; a delayed acknowledgement slows all of them.
        var times: [Duration] = []
        var fast = 0
        while fast < Self.wanted, times.count < Self.warmUp + Self.rounds {
            let start = ContinuousClock.now
            try await connection.send(ByteBuffer(string: "command\r\n"))
            var octets = 0
            while octets < TwoPieces.answer.utf8.count * 2 {
                octets += try #require(try await connection.receive()).readableBytes
            }
            times.append(.now - start)
            if times.count > Self.warmUp, .now - start < Self.limit { fast += 1 }
        }
        #expect(fast == Self.wanted, "\(times)")
        await connection.close()
        try await server.close()
    }
}

/// Answers whatever comes with two writes.
private final class TwoPieces: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    static let answer = "half an answer\r\n"

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        for _ in 0..<2 {
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: Self.answer)), promise: nil)
        }
    }
}
