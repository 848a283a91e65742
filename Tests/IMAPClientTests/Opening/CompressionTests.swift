import IMAPProtocol
import NIOCore
import TestSupport
import Testing

@testable import IMAPClient
@testable import Transport

@Suite(.timeLimit(.minutes(5))) struct CompressionTests {
    private func connect(_ endpoint: Endpoint, _ compression: Compression) async throws -> IMAPConnection {
        var settings = configuration(endpoint)
        settings.compression = compression
        return try await IMAPConnection.connect(settings, logger: quiet)
    }

    @Test("after COMPRESS both directions are compressed")
    func compressed() async throws {
        let text = String(repeating: "the same words again and again, ", count: 20_000)
        try await ScriptedServer.play(
            .login("IMAP4rev1 COMPRESS=DEFLATE") + [
                .client("A4 COMPRESS DEFLATE"), .server("A4 OK go"), .compress,
                .client("A5 SELECT INBOX"), .server("* 1 EXISTS"), .server("* OK [UIDVALIDITY 1] x"),
                .server("A5 OK done"),
                .client("A6 UID FETCH 1 (UID BODY.PEEK[])"),
                .raw("* 1 FETCH (UID 1 BODY[] {\(text.utf8.count)}\r\n\(text))\r\n"),
                .server("A6 OK done"),
            ]
        ) { endpoint in
            let client = try await connect(endpoint, .always)
            _ = try await client.mailboxes.select(bytes("INBOX"))
            var body: ByteBuffer?
            try await client.messages.fetch([1], FetchItems(body: .whole(maximum: 1_000_000))) {
                body = $0.body
            }
            #expect(body == ByteBuffer(string: text))
            await client.connection.close()
        }
    }

    @Test(
        "a refused COMPRESS is not an error, and without the capability it is not requested"
    )
    func refused() async throws {
        try await ScriptedServer.play(
            .login("IMAP4rev1 COMPRESS=DEFLATE") + [
                .client("A4 COMPRESS DEFLATE"), .server("A4 NO [COMPRESSIONACTIVE] no"),
                .client("A5 NOOP"), .server("A5 OK done"),
            ]
        ) { endpoint in
            let client = try await connect(endpoint, .always)
            try await client.noop()
            await client.connection.close()
        }
        for (offered, setting) in [
            ("IMAP4rev1", Compression.always), ("IMAP4rev1 COMPRESS=DEFLATE", .automatic),
        ] {
            try await ScriptedServer.play(
                .login(offered) + [.client("A4 NOOP"), .server("A4 OK done")]
            ) { endpoint in
                let client = try await connect(endpoint, setting)
                try await client.noop()
                await client.connection.close()
            }
        }
    }

    @Test("data in the same packet as the reply to COMPRESS ends the session")
    func ambiguous() async throws {
        try await ScriptedServer.play(
            .login("IMAP4rev1 COMPRESS=DEFLATE") + [
                .client("A4 COMPRESS DEFLATE"), .raw("A4 OK go\r\n* 1 EXI"),
            ]
        ) { endpoint in
            let error = IMAPClientError.protocol("bytes behind the agreement to compress")
            await #expect(throws: error) { try await connect(endpoint, .always) }
        }
    }

    @Test("automatic compression is used on slow lines only, and never on this machine")
    func automatic() {
        let slow = Duration.milliseconds(10)
        #expect(Compression.automatic.isWanted(isLoopback: false, roundTrip: slow))
        #expect(!Compression.automatic.isWanted(isLoopback: false, roundTrip: slow - .nanoseconds(1)))
        #expect(!Compression.automatic.isWanted(isLoopback: true, roundTrip: slow))
        #expect(!Compression.automatic.isWanted(isLoopback: false, roundTrip: nil))
        #expect(!Compression.off.isWanted(isLoopback: false, roundTrip: slow))
        #expect(Compression.always.isWanted(isLoopback: true, roundTrip: nil))
    }

    @Test("a line that expands a thousandfold ends at the decoder's limit")
    func bomb() throws {
        let inflater = try Inflater()
        inflater.feed(try Self.grown(from: "* "))
        var decoder = ResponseDecoder()
        var steps = 0
        #expect(throws: FramingError.self) {
            while inflater.hasMore {
                decoder.feed(try inflater.step())
                steps += 1
                while try decoder.next() != nil {}
            }
        }
        #expect(steps < 2)
    }

    @Test("a literal that expands a thousandfold is skipped in small steps")
    func bombInLiteral() throws {
        let inflater = try Inflater()
        inflater.feed(try Self.grown(from: "* 1 FETCH (UID 1 BODY[] {1000000000}\r\n"))
        var decoder = ResponseDecoder()
        decoder.bodyLimit = 0
        var total = 0
        while inflater.hasMore {
            let step = try inflater.step()
            #expect(step.readableBytes <= Inflater.stepMaximum)
            total += step.readableBytes
            decoder.feed(step)
            #expect(try decoder.next() == nil)
        }
        #expect(total > 64 * 1_024 * 1_024)
        #expect(decoder.parsedBytes == 0)
    }

    /// 64 MiB of one letter behind that start, which travel as 64 KiB.
    private static func grown(from start: String) throws -> ByteBuffer {
        let deflater = try Deflater()
        var stream = try deflater.compress(ByteBuffer(string: start))
        for _ in 0..<64 {
            var piece = try deflater.compress(ByteBuffer(repeating: 0x78, count: 1_024 * 1_024))
            stream.writeBuffer(&piece)
        }
        #expect(stream.readableBytes < 100_000)
        return stream
    }
}
