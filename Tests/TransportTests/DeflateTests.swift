import NIOCore
import TestSupport
import Testing

@testable import Transport

@Suite(.timeLimit(.minutes(5))) struct DeflateTests {
    private static func inflated(_ stream: ByteBuffer, pieces: Int) throws -> ByteBuffer {
        let inflater = try Inflater()
        var stream = stream
        var whole = ByteBuffer()
        while let piece = stream.readSlice(length: min(pieces, stream.readableBytes)),
            piece.readableBytes > 0
        {
            inflater.feed(piece)
            while inflater.hasMore {
                var step = try inflater.step()
                whole.writeBuffer(&step)
            }
        }
        #expect(inflater.isWhole)
        return whole
    }

    /// Noise, words, and nothing but one letter.
    private static func samples() -> [ByteBuffer] {
        var random = SystemRandomNumberGenerator()
        let noise = ByteBuffer(bytes: (0..<5_000).map { _ in UInt8.random(in: 0...255, using: &random) })
        let words = ByteBuffer(string: String(repeating: "* 1 FETCH (UID 1 FLAGS ())\r\n", count: 100))
        return [noise, words, ByteBuffer(repeating: 0x78, count: 300_000), ByteBuffer(string: "a")]
    }

    @Test(arguments: [1, 7, Int.max])
    func `compressed data is decompressed in pieces of any size`(pieces: Int) throws {
        for sample in Self.samples() {
            let deflater = try Deflater()
            var stream = try deflater.compress(sample)
            var more = try deflater.compress(sample)
            stream.writeBuffer(&more)
            var twice = sample
            twice.writeImmutableBuffer(sample)
            #expect(try Self.inflated(stream, pieces: pieces) == twice)
        }
    }

    @Test func `the output of one step is limited`() throws {
        let inflater = try Inflater()
        inflater.feed(try Deflater().compress(ByteBuffer(repeating: 0, count: 10 * 1_024 * 1_024)))
        var steps: [Int] = []
        while inflater.hasMore { steps.append(try inflater.step().readableBytes) }
        #expect(steps.reduce(0, +) == 10 * 1_024 * 1_024)
        #expect(steps.allSatisfy { $0 <= Inflater.stepMaximum })
        #expect(steps.count >= 10)
    }

    @Test func `invalid data is an error, and so is data after the end`() throws {
        let inflater = try Inflater()
        inflater.feed(ByteBuffer(string: "* 1 EXISTS in the clear\r\n"))
        #expect(throws: DeflateError.damaged) { while inflater.hasMore { _ = try inflater.step() } }
        let ended = try Inflater()
        // A last block that holds nothing, and a byte behind it.
        ended.feed(ByteBuffer(bytes: [0x03, 0x00, 0x41]))
        #expect(throws: DeflateError.damaged) { while ended.hasMore { _ = try ended.step() } }
    }

    @Test func `a stream cut in the middle is not complete`() throws {
        let stream = try Deflater().compress(ByteBuffer(string: "a few words of no importance"))
        for length in 1..<stream.readableBytes {
            let inflater = try Inflater()
            inflater.feed(try #require(stream.getSlice(at: 0, length: length)))
            while inflater.hasMore { _ = try inflater.step() }
            #expect(!inflater.isWhole, "after \(length) bytes")
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct CompressedConnectionTests {
    private func open(
        _ server: FakeServer, tls: TLSPolicy? = nil
    ) async throws -> Connection {
        try await Connection.open(
            Endpoint(host: "127.0.0.1", port: server.port),
            security: tls.map { .tls($0) } ?? .plaintext, logger: ConnectionTests.logger)
    }

    private func compress(_ peer: Peer) async throws {
        try await peer.channel.eventLoop.submit {
            let pipeline = peer.channel.pipeline.syncOperations
            let last = try pipeline.handler(type: PeerHandler.self)
            try pipeline.addHandler(CompressionHandler(), position: .before(last))
        }.get()
    }

    @Test(arguments: [false, true])
    func `data is compressed in both directions, with and without TLS`(isEncrypted: Bool) async throws {
        let certificates = try TestCertificates.shared.get()
        let server = try await FakeServer.start(tls: isEncrypted ? certificates.server("good") : nil) {
            $0.send("go")
        }
        let policy = TLSPolicy(serverName: "mail.example.org", caFile: certificates.caFile)
        let connection = try await open(server, tls: isEncrypted ? policy : nil)
        #expect(try await connection.receive() == ByteBuffer(string: "go"))
        let peer = try await server.peer()
        try await compress(peer)
        try await connection.compress()
        try await connection.send(ByteBuffer(string: "A1 NOOP\r\n"))
        _ = try await eventually("the command") {
            peer.received == ByteBuffer(string: "A1 NOOP\r\n") ? true : nil
        }
        let much = ByteBuffer(repeating: 0x78, count: 5_000_000)
        peer.send(much)
        var count = 0
        while count < much.readableBytes, let bytes = try await connection.receive() {
            #expect(bytes.readableBytes <= Inflater.stepMaximum)
            count += bytes.readableBytes
        }
        #expect(count == much.readableBytes)
        await connection.close()
        await server.stop()
    }

    @Test func `invalid data ends the connection and gives the reason`() async throws {
        let server = try await FakeServer.start { $0.send("go") }
        let connection = try await open(server)
        #expect(try await connection.receive() == ByteBuffer(string: "go"))
        try await connection.compress()
        try await server.peer().send("* OK this is not compressed at all\r\n")
        let code = await ConnectionTests.code { try await connection.receive() }
        #expect(code == .failed(reason: DeflateError.damaged.description))
        await server.stop()
    }

    @Test func `a stream that ends in the middle is an error`() async throws {
        let server = try await FakeServer.start { $0.send("go") }
        let connection = try await open(server)
        #expect(try await connection.receive() == ByteBuffer(string: "go"))
        try await connection.compress()
        let whole = try Deflater().compress(ByteBuffer(string: "* BYE and so on\r\n"))
        let peer = try await server.peer()
        peer.send(try #require(whole.getSlice(at: 0, length: whole.readableBytes - 2)))
        try await peer.channel.close()
        var code: TransportError.Code?
        while code == nil {
            code = await ConnectionTests.code { try await connection.receive() }
        }
        #expect(code == .failed(reason: DeflateError.cutShort.description))
        await server.stop()
    }
}

@Suite(.timeLimit(.minutes(5))) struct WakeupTests {
    @Test func `a wakeup ends only its own wait, early or late`() async throws {
        let server = try await FakeServer.start()
        let connection = try await Connection.open(
            Endpoint(host: "127.0.0.1", port: server.port), security: .plaintext,
            logger: ConnectionTests.logger)
        let early = connection.makeWakeup()
        early.fire()
        #expect(
            await ConnectionTests.code { try await connection.receive(until: early) } == .timedOut(.receive))
        let late = connection.makeWakeup()
        async let code = ConnectionTests.code { try await connection.receive(until: late) }
        try await Task.sleep(for: .milliseconds(20))
        late.fire()
        #expect(await code == .timedOut(.receive))
        // Both were fired; the connection goes on, and no byte is lost.
        try await server.peer().send("hello")
        late.fire()
        #expect(try await connection.receive() == ByteBuffer(string: "hello"))
        let unused = connection.makeWakeup()
        try await server.peer().send("more")
        #expect(try await connection.receive(until: unused) == ByteBuffer(string: "more"))
        await server.stop()
    }
}
