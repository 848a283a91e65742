import Logging
import NIOCore
import NIOPosix
import TestSupport
import Testing
import Transport

@Suite(.timeLimit(.minutes(5))) struct ConnectionTests {
    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    static let quick = Timeouts(
        tls: .milliseconds(300), receive: .milliseconds(300), send: .milliseconds(300))

    static func open(_ port: Int, _ timeouts: Timeouts = Timeouts()) async throws(TransportError)
        -> Connection
    {
        try await Connection.open(
            Endpoint(host: "127.0.0.1", port: port), security: .plaintext, timeouts: timeouts, logger: logger)
    }

    static func code<Value: Sendable>(
        _ body: () async throws -> Value
    ) async -> TransportError.Code? {
        do {
            _ = try await body()
        } catch let error as TransportError {
            return error.code
        } catch {
            Issue.record("another kind of error: \(error)")
        }
        return nil
    }

    @Test func `bytes are sent and received, and the end of the stream is detected`() async throws {
        let server = try await FakeServer.start { $0.send("hello") }
        let connection = try await Self.open(server.port)
        #expect(try await connection.receive() == ByteBuffer(string: "hello"))
        try await connection.send(ByteBuffer(string: "and "))
        try await connection.send(ByteBuffer(string: "goodbye"))
        let peer = try await server.peer()
        _ = try await eventually("all bytes") {
            peer.received == ByteBuffer(string: "and goodbye") ? true : nil
        }
        try await peer.hangUp()
        #expect(try await connection.receive() == nil)
        #expect(try await connection.receive() == nil, "and stays one")
        #expect(!connection.isEncrypted)
        await server.stop()
    }

    @Test func `a large message arrives whole`() async throws {
        let server = try await FakeServer.start()
        let connection = try await Self.open(server.port)
        let bytes = ByteBuffer(bytes: (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        try await connection.send(bytes)
        let peer = try await server.peer()
        _ = try await eventually("all bytes") {
            peer.received.readableBytes == bytes.readableBytes ? true : nil
        }
        #expect(peer.received == bytes)
        await connection.close()
        _ = try await eventually("the end") { peer.hasEnded ? true : nil }
        await server.stop()
    }

    @Test func `a fast server must wait while the client does not read`() async throws {
        let piece = ByteBuffer(repeating: 7, count: 1 << 20)
        let pieces = 64
        let server = try await FakeServer.start()
        let connection = try await Self.open(server.port)
        let peer = try await server.peer()
        let sent = Locked(0)
        for _ in 0..<pieces {
            peer.channel.writeAndFlush(piece).whenSuccess { sent.change { $0 += 1 } }
        }
        var before = -1
        while sent.value != before {
            before = sent.value
            try await Task.sleep(for: .milliseconds(300))
        }
        #expect(sent.value < pieces / 2, "the kernel's buffers hold a few megabytes, we hold none")
        var count = 0
        while count < pieces << 20, let bytes = try await connection.receive() {
            count += bytes.readableBytes
        }
        #expect(count == pieces << 20)
        await server.stop()
    }

    @Test func `a silent server causes a timeout, and the connection stays usable`() async throws {
        let server = try await FakeServer.start()
        let connection = try await Self.open(server.port, Self.quick)
        #expect(await Self.code { try await connection.receive() } == .timedOut(.receive))
        #expect(
            await Self.code { try await connection.receive(timeout: .milliseconds(1)) } == .timedOut(.receive)
        )
        try await server.peer().send("late")
        #expect(try await connection.receive(timeout: .seconds(30)) == ByteBuffer(string: "late"))
        await server.stop()
    }

    @Test func `without a wait, data that has arrived is received`() async throws {
        let server = try await FakeServer.start()
        let connection = try await Self.open(server.port)
        #expect(await Self.code { try await connection.receive(timeout: .zero) } == .timedOut(.receive))
        // It is one look, which a busy machine may miss now and then; never looking would show here.
        var found = 0
        for _ in 0..<10 {
            try await server.peer().send("x")
            try await Task.sleep(for: .milliseconds(20))
            if await Self.code({ try await connection.receive(timeout: .zero) }) == nil {
                found += 1
            } else {
                _ = try await connection.receive()
            }
        }
        #expect(found >= 5)
        await server.stop()
    }

    @Test func `a server that reads nothing causes a timeout`() async throws {
        let server = try await FakeServer.start(reads: false)
        let connection = try await Self.open(server.port, Self.quick)
        let bytes = ByteBuffer(repeating: 7, count: 64 << 20)
        #expect(await Self.code { try await connection.send(bytes) } == .timedOut(.send))
        #expect(await Self.code { try await connection.send(bytes) } != nil, "and the connection is gone")
        await server.stop()
    }

    @Test func `a port without a listener refuses the connection`() async throws {
        let server = try await FakeServer.start()
        await server.stop()
        #expect(await Self.code { try await Self.open(server.port) } == .refused)
    }

    @Test func `a server that accepts nothing causes a timeout`() async throws {
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 1)
            .serverChannelOption(.autoRead, value: false)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = listener.localAddress?.port ?? 0
        var held: [Connection] = []
        var code: TransportError.Code?
        while code == nil, held.count < 20 {
            code = await Self.code {
                held.append(try await Self.open(port, Timeouts(connect: .milliseconds(300))))
            }
        }
        #expect(code == .timedOut(.connect))
        try await listener.close()
    }

    /// Names that no resolver asks the network for: a label of 70 bytes, and none at all.
    @Test(arguments: [String(repeating: "x", count: 70) + ".invalid", ""])
    func `an unknown name is an unknown host`(host: String) async {
        let code = await Self.code {
            try await Connection.open(
                Endpoint(host: host, port: 1), security: .plaintext, logger: Self.logger)
        }
        #expect(code == .unknownHost)
    }

    @Test func `a reset differs from an end`() async throws {
        let server = try await FakeServer.start()
        let connection = try await Self.open(server.port)
        let peer = try await server.peer()
        async let code = Self.code { try await connection.receive() }
        try await Task.sleep(for: .milliseconds(50))
        try await peer.hangUp(reset: true)
        #expect(await code == .reset)
        await server.stop()
    }

    @Test func `a cancelled task closes the connection`() async throws {
        let server = try await FakeServer.start()
        let connection = try await Self.open(server.port)
        let peer = try await server.peer()
        let task = Task { await Self.code { try await connection.receive() } }
        try await Task.sleep(for: .milliseconds(50))
        task.cancel()
        #expect(await task.value == .cancelled)
        _ = try await eventually("the end") { peer.hasEnded ? true : nil }
        await server.stop()
    }

    @Test func `an abandoned connection is closed`() async throws {
        let server = try await FakeServer.start()
        do { _ = try await Self.open(server.port) }
        let peer = try await server.peer()
        _ = try await eventually("the end") { peer.hasEnded ? true : nil }
        await server.stop()
    }

    @Test func `only one task can receive at a time`() async throws {
        let server = try await FakeServer.start()
        let connection = try await Self.open(server.port)
        async let first = connection.receive()
        try await Task.sleep(for: .milliseconds(50))
        #expect(await Self.code { try await connection.receive() } == .busy)
        try await server.peer().send("for the first")
        #expect(try await first == ByteBuffer(string: "for the first"))
        await server.stop()
    }

    @Test func `after close, every call says that the connection is closed`() async throws {
        let server = try await FakeServer.start()
        let connection = try await Self.open(server.port)
        await connection.close()
        await connection.close()
        #expect(await Self.code { try await connection.receive() } == .closed)
        #expect(await Self.code { try await connection.send(ByteBuffer(string: "x")) } == .closed)
        await server.stop()
    }
}
