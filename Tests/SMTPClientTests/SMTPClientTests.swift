import Logging
import SASL
import SMTPClient
import SMTPProtocol
import Synchronization
import Testing
import Transport

/// Conversations that end well, and what each says when it does not.
@Suite(.timeLimit(.minutes(5))) struct SMTPClientTests {
    typealias Step = ScriptedServer.Step

    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    static let message = Array("Subject: x\r\n\r\nhello\r\n.dot\r\n".utf8)
    static let greeting: [Step] = [.say("220 hi\r\n"), .hear("EHLO localhost\r\n")]
    static let envelope: [Step] = [
        .hear("MAIL FROM:<a@x.example> SIZE=27\r\nRCPT TO:<b@y.example>\r\nRCPT TO:<c@z.example>\r\n"),
        .say("250 ok\r\n250 ok\r\n250 ok\r\n"), .hear("DATA\r\n"), .say("354 go\r\n"),
    ]
    static let body = Step.hear("Subject: x\r\n\r\nhello\r\n..dot")
    static let dot = Step.hear("\r\n.\r\n")
    static let quit: [Step] = [.hear("QUIT\r\n"), .say("221 bye\r\n")]

    static func ehlo(_ keywords: String...) -> [Step] {
        greeting + [
            .say((["250-me"] + keywords.map { "250-" + $0 } + ["250 HELP\r\n"]).joined(separator: "\r\n"))
        ]
    }

    static func configuration(
        _ server: ScriptedServer, user: String = "", security: TransportSecurity = .plaintext
    ) -> SMTPConfiguration {
        SMTPConfiguration(
            endpoint: Endpoint(host: "127.0.0.1", port: server.port), security: security,
            credentials: user.isEmpty ? nil : SASLCredentials(user: user, password: Secret("pw")),
            timeouts: Timeouts(receive: .seconds(5)))
    }

    static func submit(
        _ client: SMTPConnection, hook: @Sendable () async throws -> Void = {}
    ) async throws(SMTPClientError) -> Submission {
        try await client.submit(
            reversePath: "a@x.example", forwardPaths: ["b@y.example", "c@z.example"], message: message,
            beforeFinalDot: hook)
    }

    static func failure<Value: Sendable>(_ body: () async throws -> Value) async -> SMTPClientError? {
        do {
            _ = try await body()
        } catch let error as SMTPClientError {
            return error
        } catch {
            Issue.record("another kind of error: \(error)")
        }
        return nil
    }

    @Test func `two messages are sent in one session`() async throws {
        let sent: [Step] = Self.envelope + [Self.body, Self.dot, .say("250 2.0.0 queued as 42\r\n")]
        let server = try await ScriptedServer.start(
            Self.ehlo("SIZE 1000", "PIPELINING") + sent + sent + Self.quit)
        let client = try await SMTPConnection.connect(Self.configuration(server), logger: Self.logger)
        let submission = try await Self.submit(client)
        #expect(submission.reply.text == "2.0.0 queued as 42")
        #expect(submission.recipients.map(\.address) == ["b@y.example", "c@z.example"])
        _ = try await Self.submit(client)
        await client.quit()
        #expect(try await server.deviation() == nil)
    }

    @Test func `with CHUNKING the octets are counted, and the last chunk waits for the caller`()
        async throws
    {
        let octets = String(decoding: Self.message, as: UTF8.self)
        let server = try await ScriptedServer.start(
            Self.ehlo("SIZE 1000", "PIPELINING", "CHUNKING")
                + [
                    Self.envelope[0], Self.envelope[1], .hear("BDAT \(octets.utf8.count)\r\n" + octets),
                    .say("250 ok\r\n"), .hear("BDAT 0 LAST\r\n"), .say("250 queued\r\n"),
                ] + Self.quit)
        let client = try await SMTPConnection.connect(Self.configuration(server), logger: Self.logger)
        let seen = Mutex("")
        _ = try await Self.submit(client) {
            try await Task.sleep(for: .milliseconds(50))
            seen.withLock { $0 = server.heard }
        }
        #expect(seen.withLock { $0.hasSuffix(octets) })
        await client.quit()
        #expect(try await server.deviation() == nil)
    }

    @Test func `an unencrypted login is allowed to this machine`() async throws {
        let server = try await ScriptedServer.start(
            Self.ehlo("AUTH PLAIN") + [.hear("AUTH PLAIN AGFubgBwdw==\r\n"), .say("235 in\r\n")] + Self.quit)
        let client = try await SMTPConnection.connect(
            Self.configuration(server, user: "ann"), logger: Self.logger)
        await client.quit()
        #expect(try await server.deviation() == nil)
    }

    @Test func `an unencrypted login over a network is refused before connecting`() async throws {
        let configuration = SMTPConfiguration(
            endpoint: Endpoint(host: "mail.invalid", port: 25), security: .plaintext,
            credentials: SASLCredentials(user: "ann", password: Secret("pw")))
        let error = await Self.failure {
            try await SMTPConnection.connect(configuration, logger: Self.logger)
        }
        #expect(error == .submission(.loginNeedsEncryption))
    }

    @Test func `a refused login has the server's text`() async throws {
        let server = try await ScriptedServer.start(
            Self.ehlo("AUTH LOGIN")
                + [
                    .hear("AUTH LOGIN\r\n"), .say("334 VXNlcm5hbWU6\r\n"), .hear("YW5u\r\n"),
                    .say("334 UGFzc3dvcmQ6\r\n"), .hear("cHc=\r\n"),
                    .say("535 5.7.8 use an app password\r\n"),
                ])
        let error = await Self.failure {
            try await SMTPConnection.connect(Self.configuration(server, user: "ann"), logger: Self.logger)
        }
        #expect(error == .submission(.loginRefused(Reply(code: 535, lines: ["5.7.8 use an app password"]))))
        #expect(try await server.deviation() == nil)
    }

    @Test func `the final dot waits for the caller`() async throws {
        let server = try await ScriptedServer.start(
            Self.ehlo("SIZE 1000", "PIPELINING") + Self.envelope + [Self.body, Self.dot, .say("250 ok\r\n")]
                + Self.quit)
        let client = try await SMTPConnection.connect(Self.configuration(server), logger: Self.logger)
        let seen = Mutex("")
        _ = try await Self.submit(client) {
            // The whole body comes without the dot having been allowed.
            while !server.heard.hasSuffix("..dot") { try await Task.sleep(for: .milliseconds(5)) }
            try await Task.sleep(for: .milliseconds(50))
            seen.withLock { $0 = server.heard }
        }
        #expect(seen.withLock { $0.hasSuffix("..dot") })
        await client.quit()
    }

    @Test func `a caller that stops before the dot sends nothing`() async throws {
        struct DiskFull: Error {}
        let server = try await ScriptedServer.start(
            Self.ehlo("SIZE 1000", "PIPELINING") + Self.envelope + [Self.body])
        let client = try await SMTPConnection.connect(Self.configuration(server), logger: Self.logger)
        let error = await Self.failure { try await Self.submit(client) { throw DiskFull() } }
        #expect(error == .stoppedBeforeDot(reason: "DiskFull()"))
        #expect(try await server.deviation() == nil, "the connection is closed without a dot")
        #expect(await Self.failure { try await Self.submit(client) } == .notReady)
    }

    @Test func `one refused recipient stops the message for all, and the session stays usable`() async throws
    {
        let server = try await ScriptedServer.start(
            Self.ehlo("PIPELINING")
                + [
                    .hear("MAIL FROM:<a@x.example>\r\nRCPT TO:<b@y.example>\r\nRCPT TO:<c@z.example>\r\n"),
                    .say("250 ok\r\n250 ok\r\n550 5.1.1 who\r\n"), .hear("RSET\r\n"), .say("250 ok\r\n"),
                ] + Self.quit)
        let client = try await SMTPConnection.connect(Self.configuration(server), logger: Self.logger)
        let error = await Self.failure { try await Self.submit(client) { Issue.record("no dot is due") } }
        let reply = Reply(code: 550, lines: ["5.1.1 who"])
        #expect(
            error == .submission(.recipientsRefused([RecipientReply(address: "c@z.example", reply: reply)])))
        #expect(error?.description.contains("c@z.example (550 5.1.1 who)") == true)
        await client.quit()
        #expect(try await server.deviation() == nil)
    }

    @Test(arguments: ["a@x.example\r\nRCPT TO:<eve@evil.example>", "a@x.example> SIZE=1", "a b@x.example"])
    func `an address with extra content is never sent`(address: String) async throws {
        let server = try await ScriptedServer.start(Self.ehlo("PIPELINING") + Self.quit)
        let client = try await SMTPConnection.connect(Self.configuration(server), logger: Self.logger)
        for paths in [(address, ["b@y.example"]), ("a@x.example", ["b@y.example", address])] {
            let error = await Self.failure {
                try await client.submit(
                    reversePath: paths.0, forwardPaths: paths.1, message: Self.message, beforeFinalDot: {})
            }
            guard case .submission(.invalidAddress) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
        await client.quit()
        #expect(try await server.deviation() == nil)
    }

    @Test func `a message that is too large is not started`() async throws {
        let server = try await ScriptedServer.start(Self.ehlo("SIZE 20") + Self.quit)
        let client = try await SMTPConnection.connect(Self.configuration(server), logger: Self.logger)
        let error = await Self.failure { try await Self.submit(client) }
        #expect(error == .submission(.messageTooLarge(actual: 27, maximum: 20)))
        await client.quit()
        #expect(try await server.deviation() == nil)
    }

    @Test func `a second message at the same time is refused`() async throws {
        let server = try await ScriptedServer.start(
            Self.ehlo("SIZE 1000", "PIPELINING") + Self.envelope
                + [Self.body, Self.dot, .say("250 ok\r\n")] + Self.quit)
        let client = try await SMTPConnection.connect(Self.configuration(server), logger: Self.logger)
        _ = try await Self.submit(client) {
            #expect(await Self.failure { try await Self.submit(client) } == .notReady)
        }
        await client.quit()
        #expect(try await server.deviation() == nil)
    }

    @Test func `passwords, addresses and message text are never in the log`() async throws {
        let log = RecordingLog()
        let server = try await ScriptedServer.start(
            Self.ehlo("SIZE 1000", "PIPELINING", "AUTH PLAIN")
                + [.hear("AUTH PLAIN AGFubgBwdw==\r\n"), .say("235 in\r\n")] + Self.envelope
                + [Self.body, Self.dot, .say("250 queued for b@y.example\r\n")] + Self.quit)
        let client = try await SMTPConnection.connect(
            Self.configuration(server, user: "ann"), logger: log.logger)
        _ = try await Self.submit(client)
        await client.quit()
        #expect(try await server.deviation() == nil)
        #expect(log.text.contains("AUTH PLAIN •••") && log.text.contains("250"), "something is logged")
        for secret in ["AGFubgBwdw", "pw", "x.example", "y.example", "hello", "Subject"] {
            #expect(!log.text.contains(secret), "\(secret)")
        }
    }
}

extension SMTPClientError {
    /// Whether the message may have been sent, so that only a person can decide what to do.
    var isUnknown: Bool {
        guard case .submission(.unknownAfterDot) = self else { return false }
        return true
    }
}
