import Logging
import NIOCore
import NIOPosix
import SASL
import Synchronization
import TestSupport
import Testing

@testable import IMAPClient
@testable import Transport

/// One side of a transcript: what the server says, and what it insists on hearing.
enum Line: Sendable {
    /// Sent with CRLF.
    case server(String)
    /// Sent as it is.
    case raw(String)
    /// The client must send exactly this line.
    case client(String)
    /// The client must send exactly these bytes, wherever its lines end.
    case clientBytes(String)
    /// The server says nothing for a while; a client that does not wait for it is caught by `.client`.
    case pause
    case hangUp
    /// Everything after this line is compressed, both ways.
    case compress
    /// The rest waits until the counter has come so far.
    case wait(Counter, Int)
    /// Counts how far the server came.
    case count(Counter)
}

final class Counter: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }
    func increment() { count.withLock { $0 += 1 } }
}

/// A server on 127.0.0.1 that plays one transcript to one client.
///
/// Every departure from the transcript becomes an issue of the test.
enum ScriptedServer {
    static func play(
        _ transcript: [Line], _ client: @Sendable (Endpoint) async throws -> Void
    ) async throws {
        try await play(many: [transcript], client)
    }

    /// The same for several clients: the first that comes gets the first transcript. It ends when each was played.
    static func play(
        many transcripts: [[Line]], _ client: @Sendable (Endpoint) async throws -> Void
    ) async throws {
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.backlog, value: 16)
            // A peer becomes an asynchronous channel, and is read, once it is served: one that is never served would end
            // the process.
            .childChannelOption(.autoRead, value: false)
            .bind(host: "127.0.0.1", port: 0) { channel in channel.eventLoop.makeSucceededFuture(channel) }
        let port = try #require(listener.channel.localAddress?.port)
        async let served: Void = listener.executeThenClose { clients in
            try await withThrowingTaskGroup(of: Void.self) { group in
                var rest = transcripts[...]
                for try await peer in clients {
                    guard let transcript = rest.popFirst() else { break }
                    group.addTask { try await serve(peer, transcript) }
                    if rest.isEmpty { break }
                }
                try await group.waitForAll()
            }
        }
        try await client(Endpoint(host: "127.0.0.1", port: port))
        // The client has closed its end, so the server comes to its own: what it did not hear is an issue.
        try await served
    }

    private static func serve(_ channel: any Channel, _ transcript: [Line]) async throws {
        let peer = try await channel.eventLoop.submit {
            try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }.get()
        try await peer.executeThenClose { inbound, outbound in
            try await channel.setOption(.autoRead, value: true).get()
            var incoming = inbound.makeAsyncIterator()
            var heard = ""
            for line in transcript {
                switch line {
                case .server(let text): try await outbound.write(ByteBuffer(string: text + "\r\n"))
                case .raw(let text): try await outbound.write(ByteBuffer(string: text))
                case .pause: try await Task.sleep(for: .milliseconds(30))
                case .hangUp: return
                case .compress:
                    try await peer.channel.eventLoop.submit {
                        try peer.channel.pipeline.syncOperations.addHandler(
                            CompressionHandler(), position: .first)
                    }.get()
                case .wait(let counter, let count):
                    while counter.value < count { try await Task.sleep(for: .milliseconds(2)) }
                case .count(let counter): counter.increment()
                case .client(let text):
                    guard try await expect(text + "\r\n", &heard, &incoming) else { return }
                case .clientBytes(let text):
                    guard try await expect(text, &heard, &incoming) else { return }
                }
            }
            // A client may reset the connection: that is not an error.
            while let more = try? await incoming.next() { heard += String(buffer: more) }
            if !heard.isEmpty { Issue.record("the client said more: \(heard.debugDescription)") }
        }
    }

    private static func expect(
        _ text: String, _ heard: inout String,
        _ incoming: inout NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    ) async throws -> Bool {
        while heard.utf8.count < text.utf8.count {
            guard let more = try await incoming.next() else {
                Issue.record("the client left instead of saying \(text.debugDescription), after \(heard)")
                return false
            }
            heard += String(buffer: more)
        }
        guard heard.utf8.starts(with: text.utf8) else {
            Issue.record("the client said \(heard.debugDescription) instead of \(text.debugDescription)")
            return false
        }
        heard = String(decoding: heard.utf8.dropFirst(text.utf8.count), as: UTF8.self)
        return true
    }
}

extension [Line] {
    /// Greeting to login, in the shortest form; the next command is A4.
    static func login(_ capabilities: String = "IMAP4rev1") -> [Line] {
        [
            .server("* OK ready"),
            .client("A1 CAPABILITY"),
            .server("* CAPABILITY IMAP4rev1 AUTH=PLAIN SASL-IR"),
            .server("A1 OK done"),
            .client("A2 AUTHENTICATE PLAIN AGFubgBodW50ZXIy"),
            .server("A2 OK welcome"),
            .client("A3 CAPABILITY"),
            .server("* CAPABILITY \(capabilities)"),
            .server("A3 OK done"),
        ]
    }

    /// The same, and a mailbox of three messages; the next command is A5.
    static func selected(_ capabilities: String = "IMAP4rev1") -> [Line] {
        let parameter = capabilities.contains("CONDSTORE") ? " (CONDSTORE)" : ""
        return login(capabilities) + [
            .client("A4 SELECT INBOX\(parameter)"),
            .server("* FLAGS (\\Seen)"),
            .server("* 3 EXISTS"),
            .server("* OK [UIDVALIDITY 77] valid"),
            .server("* OK [UIDNEXT 10] next"),
            .server("A4 OK [READ-WRITE] done"),
        ]
    }
}

func configuration(
    _ endpoint: Endpoint, _ security: TransportSecurity = .plaintext, timeout: Duration = .seconds(60)
) -> IMAPConfiguration {
    IMAPConfiguration(
        endpoint: endpoint, security: security,
        credentials: SASLCredentials(user: "ann", password: Secret("hunter2")),
        timeouts: Timeouts(connect: .seconds(60), tls: .seconds(60), receive: timeout))
}

let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// Plays the transcript to a client that is logged in.
func talk(_ transcript: [Line], _ test: @Sendable (IMAPConnection) async throws -> Void) async throws {
    try await ScriptedServer.play(transcript) { endpoint in
        let client = try await IMAPConnection.connect(configuration(endpoint), logger: quiet)
        try await test(client)
        await client.connection.close()
    }
}

/// Plays the transcript to a client with INBOX open.
func talkInMailbox(
    _ transcript: [Line], _ test: @Sendable (IMAPConnection) async throws -> Void
) async throws {
    try await talk(transcript) { client in
        _ = try await client.mailboxes.select(bytes("INBOX"))
        try await test(client)
    }
}
