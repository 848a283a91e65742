import IMAPProtocol
import Logging
import NIOCore
import SASL
import Synchronization
import Testing
import Transport

@testable import IMAPClient

@Suite struct LoginTests {
    @Test("after the login the capabilities are requested again, and a BAD reply to ID is ignored")
    func saslIR() async throws {
        let transcript: [Line] =
            .login("IMAP4rev1 ID MOVE") + [
                .client(#"A4 ID ("name" "opus" "version" "0.1" "vendor" "Magnum Opus")"#),
                .server(#"* ID ("name" "Fake")"#),
                .server("A4 BAD I do not care"),
            ]
        try await talk(transcript) { client in
            #expect(await client.capabilities == [Capability("IMAP4REV1"), .id, .move])
        }
    }

    @Test("with capabilities in the greeting, the login is first, then CAPABILITY and ID at once")
    func greeting() async throws {
        try await talk([
            .server("* OK [CAPABILITY IMAP4rev1 ID AUTH=PLAIN SASL-IR] Dovecot ready"),
            .client("A1 AUTHENTICATE PLAIN AGFubgBodW50ZXIy"),
            .server("A1 OK welcome"),
            .clientBytes(
                "A2 CAPABILITY\r\n"
                    + "A3 ID (\"name\" \"opus\" \"version\" \"0.1\" \"vendor\" \"Magnum Opus\")\r\n"),
            .server("* CAPABILITY IMAP4rev1 ID MOVE"),
            .server("A2 OK done"),
            .server("A3 OK done"),
        ]) { client in
            #expect(await client.capabilities == [.imap4rev1, .id, .move])
            #expect(await client.profile.pipelineDepth == 25)
        }
    }

    @Test(
        "without SASL-IR, the response waits for the continuation", arguments: ["+ ", "+"])
    func continuation(_ request: String) async throws {
        try await talk([
            .server("* OK ready"),
            .client("A1 CAPABILITY"),
            .server("* CAPABILITY IMAP4rev1 AUTH=PLAIN LOGINDISABLED"),
            .server("A1 OK done"),
            .client("A2 AUTHENTICATE PLAIN"),
            .pause,
            .server(request),
            .client("AGFubgBodW50ZXIy"),
            .server("A2 OK welcome"),
            .client("A3 CAPABILITY"),
            .server("A3 OK done"),
        ]) { _ in }
    }

    @Test("LOGIN is used if the server offers no mechanism")
    func login() async throws {
        try await talk([
            .server("* OK ready"),
            .client("A1 CAPABILITY"),
            .server("* CAPABILITY XAPPLEPUSHSERVICE"),
            .server("A1 OK done"),
            .client("A2 LOGIN ann \"hunter2\""),
            .server("A2 OK welcome"),
            .client("A3 CAPABILITY"),
            .server("* CAPABILITY IMAP4rev1"),
            .server("A3 OK done"),
        ]) { _ in }
    }

    @Test(
        "a failed login gives the reason, and no error shows the password",
        arguments: [
            ("A2 NO [AUTHENTICATIONFAILED] wrong\u{1B}[31m", IMAPClientError.loginRefused("wrong\u{1B}[31m")),
            ("A2 NO no", .loginRefused("no")),
            ("A2 BAD no", .loginRefused("no")),
            ("A2 NO [UNAVAILABLE] later", .loginUnavailable("later")),
            ("A2 NO [LIMIT] too many", .loginUnavailable("too many")),
            ("* BYE enough", .bye("enough")),
            ("+ more", .badCredentials(.unexpectedChallenge(.plain))),
            ("A2 NO wrong password hunter2 (AGFubgBodW50ZXIy)", .loginRefused("wrong password ••• (•••)")),
            ("A9 OK what", .protocol("the end of command A9, which is not running")),
        ] as [(String, IMAPClientError)])
    func refused(_ answer: String, _ error: IMAPClientError) async throws {
        let transcript: [Line] = [
            .server("* OK ready"),
            .client("A1 CAPABILITY"),
            .server("* CAPABILITY IMAP4rev1 AUTH=PLAIN SASL-IR"),
            .server("A1 OK done"),
            .client("A2 AUTHENTICATE PLAIN AGFubgBodW50ZXIy"),
            .server(answer),
        ]
        try await expectConnectFails(transcript, with: error)
        #expect(!"\(error)".contains("hunter2"))
    }

    @Test("LOGIN is never used if the server disables it")
    func loginDisabled() async throws {
        try await expectConnectFails(
            [
                .server("* OK ready"),
                .client("A1 CAPABILITY"),
                .server("* CAPABILITY IMAP4rev1 LOGINDISABLED STARTTLS"),
                .server("A1 OK done"),
            ], with: .noLoginMechanism(offered: ["IMAP4REV1", "LOGINDISABLED", "STARTTLS"]))
    }

    @Test(
        "an invalid greeting ends the connection",
        arguments: [
            ("* BYE go away\r\n", IMAPClientError.bye("go away")),
            ("220 mail ESMTP\r\n", .protocol("something that is not an IMAP greeting")),
            ("* BAD what\r\n", .protocol("BAD as a greeting")),
            ("* 3 EXISTS\r\n", .protocol("something that is not an IMAP greeting")),
        ])
    func greeting(_ greeting: String, _ error: IMAPClientError) async throws {
        try await expectConnectFails([.raw(greeting)], with: error)
    }

    @Test("a server that is silent or hangs up is a transport error")
    func silence() async throws {
        try await ScriptedServer.play([]) { endpoint in
            let error = await #expect(throws: IMAPClientError.self) {
                try await IMAPConnection.connect(
                    configuration(endpoint, timeout: .milliseconds(100)), logger: quiet)
            }
            #expect(error == .transport(TransportError(.timedOut(.receive), endpoint: endpoint)))
        }
        try await ScriptedServer.play([.hangUp]) { endpoint in
            let error = await #expect(throws: IMAPClientError.self) {
                try await IMAPConnection.connect(configuration(endpoint), logger: quiet)
            }
            #expect(error == .transport(TransportError(.closedByPeer, endpoint: endpoint)))
        }
    }

    @Test("a password is never sent unencrypted over a network")
    func plaintext() async {
        let endpoint = Endpoint(host: "mail.example.org", port: 143)
        await #expect(throws: IMAPClientError.plaintextRefused(host: "mail.example.org")) {
            try await IMAPConnection.connect(configuration(endpoint), logger: quiet)
        }
    }

    @Test("a password with a NUL is refused before connecting")
    func badPassword() async {
        var broken = configuration(Endpoint(host: "127.0.0.1", port: 1))
        broken.credentials.proof = .password(Secret("a\0b"))
        await #expect(throws: IMAPClientError.badCredentials(.nulInPassword)) {
            try await IMAPConnection.connect(broken, logger: quiet)
        }
    }

    @Test("no log line and no description shows the password, at any level")
    func logs() async throws {
        let record = Record()
        let logger = Logger(label: "test") { _ in RecordingHandler(record: record) }
        try await ScriptedServer.play(.login()) { endpoint in
            let configuration = configuration(endpoint)
            let client = try await IMAPConnection.connect(configuration, logger: logger)
            var dumped = "\(configuration)"
            dump(configuration, to: &dumped)
            record.append(dumped)
            await client.connection.close()
        }
        let text = record.text
        #expect(text.contains("AUTHENTICATE"))
        #expect(!text.contains("hunter2"))
        #expect(!text.contains("AGFubgBodW50ZXIy"))
    }
}

/// STARTTLS as an attacker on the wire would like it. Nothing secret may leave before TLS.
@Suite struct StartTLSTests {
    static let security = TransportSecurity.startTLS(TLSPolicy(serverName: "127.0.0.1"))

    @Test("PREAUTH before TLS ends the connection")
    func preauth() async throws {
        try await expectConnectFails(
            [.server("* PREAUTH welcome")], security: Self.security, with: .preauthBeforeTLS)
    }

    @Test("a server that refuses STARTTLS gets no login", arguments: ["BAD", "NO"])
    func stripped(_ status: String) async throws {
        try await expectConnectFails(
            [
                .server("* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN SASL-IR] ready"),
                .client("A1 STARTTLS"),
                .server("A1 \(status) never heard of it"),
            ], security: Self.security, with: .startTLSRefused("never heard of it"))
    }

    @Test(
        "data in the same packet as the reply to STARTTLS ends the connection",
        arguments: [
            "A1 OK go\r\n* CAPABILITY IMAP4rev1\r\nA2 OK done\r\n", "A1 OK go\r\n*",
        ])
    func injection(_ answer: String) async throws {
        try await ScriptedServer.play([.server("* OK ready"), .client("A1 STARTTLS"), .raw(answer)]) {
            endpoint in
            let error = await #expect(throws: IMAPClientError.self) {
                try await IMAPConnection.connect(configuration(endpoint, Self.security), logger: quiet)
            }
            #expect(error == .transport(TransportError(.plaintextAfterStartTLS, endpoint: endpoint)))
        }
    }

    @Test("BYE before TLS ends the connection")
    func bye() async throws {
        try await expectConnectFails(
            [.server("* OK ready"), .client("A1 STARTTLS"), .server("* BYE no")], security: Self.security,
            with: .bye("no"))
    }
}

func expectConnectFails(
    _ transcript: [Line], security: TransportSecurity = .plaintext, with error: IMAPClientError
) async throws {
    try await ScriptedServer.play(transcript) { endpoint in
        await #expect(throws: error) {
            try await IMAPConnection.connect(configuration(endpoint, security), logger: quiet)
        }
    }
}

/// Every line that is logged.
final class Record: Sendable {
    private let lines = Mutex<[String]>([])

    func append(_ line: String) { lines.withLock { $0.append(line) } }
    var text: String { lines.withLock { $0.joined(separator: "\n") } }
}

struct RecordingHandler: LogHandler {
    let record: Record
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        record.append("\(event.message) \(event.metadata ?? [:])")
    }
}
