import NIOCore
import SMTPClient
import SMTPProtocol
import Testing

@testable import Transport

/// Servers, and people in between, that do not behave. Each test says on which side of the dot it was.
@Suite(.timeLimit(.minutes(5))) struct SubmissionTroubleTests {
    typealias Step = ScriptedServer.Step

    /// Connects and submits, with short patience after the dot.
    private func outcome(
        _ steps: [Step], dotTimeout: Duration = .seconds(5), receive: Duration = .seconds(5)
    ) async throws -> (error: SMTPClientError?, deviation: String?) {
        let server = try await ScriptedServer.start(steps)
        var configuration = SMTPClientTests.configuration(server)
        configuration.dotTimeout = dotTimeout
        configuration.timeouts.receive = receive
        let error = await SMTPClientTests.failure {
            let client = try await SMTPConnection.connect(configuration, logger: SMTPClientTests.logger)
            return try await SMTPClientTests.submit(client)
        }
        return (error, try await server.deviation())
    }

    private var upToBody: [Step] {
        SMTPClientTests.ehlo("SIZE 1000", "PIPELINING") + SMTPClientTests.envelope + [SMTPClientTests.body]
    }

    private var upToDot: [Step] { upToBody + [SMTPClientTests.dot] }

    @Test func `without a reply to the dot, the result is unknown`() async throws {
        let (error, deviation) = try await outcome(upToDot, dotTimeout: .milliseconds(200))
        #expect(error?.isUnknown == true)
        #expect(error?.isTransient == false, "nobody may send it again")
        #expect(deviation == nil, "nothing but the dot was sent")
    }

    @Test func `an unreadable reply to the dot never says that nothing was sent`() async throws {
        let (error, _) = try await outcome(upToDot + [.say("what\r\n")])
        #expect(error?.isUnknown == true)
        #expect(error?.description.contains("the server broke the protocol") == true)
        #expect(error?.description.contains("nothing was sent") == false)
    }

    /// Submits while the network of this machine changes at the moment that the server's script has reached.
    private func outcomeOfChange(
        _ steps: [Step], when heard: String
    ) async throws -> (error: SMTPClientError?, ended: Int) {
        let server = try await ScriptedServer.start(steps)
        var configuration = SMTPClientTests.configuration(server)
        let all = OpenConnections()
        configuration.connections = all
        let mail = Task { [configuration] in
            await SMTPClientTests.failure {
                let client = try await SMTPConnection.connect(configuration, logger: SMTPClientTests.logger)
                return try await SMTPClientTests.submit(client)
            }
        }
        while !server.heard.hasSuffix(heard) { try await Task.sleep(for: .milliseconds(5)) }
        let ended = all.end(.networkChanged) { _ in true }
        return (await mail.value, ended)
    }

    @Test func `after a change of the network behind the dot, the client still waits for the reply`()
        async throws
    {
        let (error, ended) = try await outcomeOfChange(
            upToDot + [.pause(milliseconds: 300), .say("250 2.0.0 queued\r\n")], when: "\r\n.\r\n")
        #expect(ended == 0, "what became of the mail would be unknown")
        #expect(error == nil)
    }

    @Test func `after a change of the network before the dot, the mail can be sent again`()
        async throws
    {
        let steps = SMTPClientTests.ehlo("SIZE 1000", "PIPELINING") + SMTPClientTests.envelope.prefix(1)
        let (error, ended) = try await outcomeOfChange(steps + [.pause(milliseconds: 60_000)], when: ">\r\n")
        #expect(ended == 1)
        guard case .transport(let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.code == .networkChanged)
        #expect(error?.isTransient == true)
    }

    @Test func `if the server hangs up after the dot, the result is unknown`() async throws {
        let (error, deviation) = try await outcome(upToDot + [.hangUp])
        #expect(error?.isUnknown == true)
        #expect(deviation == nil)
    }

    @Test func `if the reply to the dot is invalid, the result is unknown`() async throws {
        let (error, _) = try await outcome(upToDot + [.say("it went fine\r\n")])
        #expect(error?.isUnknown == true)
    }

    @Test func `a reply to the dot that comes byte by byte has one deadline`() async throws {
        let drip: [Step] = (0..<600).flatMap { _ in [.say("2"), .pause(milliseconds: 100)] as [Step] }
        let start = ContinuousClock.now
        let (error, _) = try await outcome(upToDot + drip, dotTimeout: .milliseconds(300))
        #expect(error?.isUnknown == true)
        #expect(ContinuousClock.now - start < .seconds(40), "the drip alone takes sixty")
    }

    @Test(arguments: [
        (
            "451 4.3.0 later\r\n",
            SMTPClientError.submission(.transient(Reply(code: 451, lines: ["4.3.0 later"])))
        ),
        ("554 5.6.0 spam\r\n", .submission(.permanent(Reply(code: 554, lines: ["5.6.0 spam"])))),
    ])
    func `a refusal after the dot is a result`(reply: String, expected: SMTPClientError) async throws {
        let (error, _) = try await outcome(upToDot + [.say(reply)])
        #expect(error == expected)
        #expect(error?.isTransient == reply.hasPrefix("4"))
    }

    @Test func `a message accepted after an early refusal is sent`() async throws {
        let (error, _) = try await outcome(
            upToDot + [.say("451 4.3.0 later\r\n250 2.0.0 queued as 7\r\n221 bye\r\n")])
        #expect(error == nil, "it must not be sent again")
    }

    @Test func `if the server hangs up during the envelope, nothing was sent`() async throws {
        let steps = SMTPClientTests.ehlo("SIZE 1000", "PIPELINING") + SMTPClientTests.envelope.prefix(1)
        let (error, deviation) = try await outcome(steps + [.say("250 ok\r\n"), .hangUp])
        guard case .transport(let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.code == .closedByPeer || reason.code == .reset)
        #expect(deviation == nil)
    }

    @Test func `a refusal in the middle of the message counts as before the dot`() async throws {
        let steps =
            SMTPClientTests.ehlo("SIZE 1000", "PIPELINING") + SMTPClientTests.envelope.dropLast()
            + [.say("354 go\r\n552 5.3.4 too much\r\n"), SMTPClientTests.body]
        let (error, deviation) = try await outcome(steps)
        #expect(error == .submission(.permanent(Reply(code: 552, lines: ["5.3.4 too much"]))))
        #expect(deviation == nil, "no dot was sent")
    }

    @Test func `an early success is not the reply to the dot`() async throws {
        let steps =
            SMTPClientTests.ehlo("SIZE 1000", "PIPELINING") + SMTPClientTests.envelope.dropLast()
            + [.say("354 go\r\n250 queued\r\n"), SMTPClientTests.body]
        let (error, deviation) = try await outcome(steps)
        guard case .protocolViolation = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(deviation == nil, "no dot was sent")
    }

    @Test(arguments: [
        String(repeating: "x", count: 3_000), "250-" + String(repeating: "y", count: 3_000),
        String(repeating: "250-a\r\n", count: 101), "hello\r\n",
    ])
    func `an invalid or endless greeting ends the session`(text: String) async throws {
        let (error, _) = try await outcome([.say(text)])
        guard case .protocolViolation = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `a silent server causes a timeout`() async throws {
        let (error, _) = try await outcome([], receive: .milliseconds(200))
        guard case .transport(let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.code == .timedOut(.receive))
    }

    @Test func `the reason of a server that refuses the client is reported`() async throws {
        let (error, _) = try await outcome([.say("554 5.7.1 blocked\r\n")])
        #expect(error == .submission(.greetingRefused(Reply(code: 554, lines: ["5.7.1 blocked"]))))
    }
}

@Suite(.timeLimit(.minutes(5))) struct STARTTLSTroubleTests {
    private func failure(_ steps: [ScriptedServer.Step]) async throws -> (SMTPClientError?, String?) {
        let server = try await ScriptedServer.start(steps)
        let configuration = SMTPClientTests.configuration(
            server, user: "ann", security: .startTLS(TLSPolicy(serverName: "mail.example.org")))
        let error = await SMTPClientTests.failure {
            try await SMTPConnection.connect(configuration, logger: SMTPClientTests.logger)
        }
        return (error, try await server.deviation())
    }

    @Test func `a server whose STARTTLS was removed gets no login`() async throws {
        let (error, deviation) = try await failure(SMTPClientTests.ehlo("AUTH PLAIN"))
        #expect(error == .submission(.noTLSOffered))
        #expect(deviation == nil, "not a word after EHLO")
    }

    @Test func `a refused STARTTLS gets no login`() async throws {
        let (error, deviation) = try await failure(
            SMTPClientTests.ehlo("STARTTLS", "AUTH PLAIN")
                + [.hear("STARTTLS\r\n"), .say("454 not now\r\n")])
        #expect(error == .submission(.startTLSRefused(Reply(code: 454, lines: ["not now"]))))
        #expect(deviation == nil)
    }

    @Test(arguments: ["250 me\r\n", "250-me\r\n250 AUTH PLAIN\r\n", "2", "\r\n", "235 logged in\r\n"])
    func `data in the same packet as the reply to STARTTLS ends the session`(injected: String) async throws {
        let (error, deviation) = try await failure(
            SMTPClientTests.ehlo("STARTTLS") + [.hear("STARTTLS\r\n"), .say("220 go\r\n" + injected)])
        guard case .transport(let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.code == .plaintextAfterStartTLS)
        #expect(deviation == nil, "not even a handshake was begun")
    }

    @Test func `a server that continues unencrypted ends the session`() async throws {
        let (error, _) = try await failure(
            SMTPClientTests.ehlo("STARTTLS")
                + [.hear("STARTTLS\r\n"), .say("220 go\r\n"), .pause(milliseconds: 100), .say("250 me\r\n")])
        guard case .transport(let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.code == .plaintextAfterStartTLS)
    }
}
