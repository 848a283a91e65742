import SASL
import Testing

@testable import IMAPProtocol

/// What the server says, and what the client does then.
@Suite struct LoginStateMachineTests {
    struct Trace: Sendable, CustomTestStringConvertible {
        let name: String
        let offered: String
        let start: String
        let steps: [(server: String, client: String)]
        var mechanism: SASLMechanism?
        var testDescription: String { name }

        init(
            _ name: String, _ offered: String, _ start: String, _ steps: (String, String)...,
            mechanism: SASLMechanism? = nil
        ) {
            self.name = name
            self.offered = offered
            self.start = start
            self.steps = steps.map { (server: $0.0, client: $0.1) }
            self.mechanism = mechanism
        }
    }

    static let plain = "AGFubgBwdw=="
    static let scram = "biwsbj1hbm4scj1meWtvK2QybGJiRmdPTlJ2OXFreGRhd0w="
    static let asked = Base64.encode(
        Array("r=fyko+d2lbbFgONRv9qkxdawLX,s=QSXCR+Q6sek8bf92,i=4096".utf8))

    @Test(arguments: [
        Trace("PLAIN at once", "AUTH=PLAIN SASL-IR", "AUTHENTICATE PLAIN \(plain)", ("OK", "finish")),
        Trace("PLAIN after leave", "AUTH=PLAIN", "AUTHENTICATE PLAIN", ("+ go", plain), ("OK", "finish")),
        Trace(
            "IMAP4rev2 means SASL-IR", "IMAP4rev2 AUTH=PLAIN", "AUTHENTICATE PLAIN \(plain)", ("OK", "finish")
        ),
        Trace(
            "success before the response was sent", "AUTH=PLAIN", "AUTHENTICATE PLAIN",
            ("OK", "serverNotVerified")),
        Trace("the command where nothing is offered", "ID", "LOGIN", ("OK", "finish")),
        Trace("the command has no challenges", "ID", "LOGIN", ("+ x", "unexpected")),
        Trace("a refused command", "ID", "LOGIN", ("NO", "refused so")),
        Trace(
            "AUTH=LOGIN is asked twice", "AUTH=LOGIN LOGINDISABLED", "AUTHENTICATE LOGIN",
            ("+ VXNlcm5hbWU6", "YW5u"),
            ("+ ", "cHc="), ("OK", "finish")),
        Trace("never LOGIN where LOGINDISABLED is in force", "LOGINDISABLED", "noLoginMechanism"),
        Trace(
            "not even where it is asked for", "LOGINDISABLED AUTH=PLAIN", "notOffered", mechanism: .login),
        Trace("LOGIN where it is asked for", "AUTH=PLAIN", "LOGIN", ("OK", "finish"), mechanism: .login),
        Trace(
            "a refused password ends it, without a second try by other means",
            "AUTH=PLAIN AUTH=LOGIN SASL-IR",
            "AUTHENTICATE PLAIN \(plain)", ("NO", "refused so")),
        Trace(
            "SCRAM that the server cannot do for this user", "AUTH=PLAIN AUTH=SCRAM-SHA-256 SASL-IR",
            "AUTHENTICATE SCRAM-SHA-256 \(scram)", ("NO", "AUTHENTICATE PLAIN \(plain)"), ("NO", "refused so")
        ),
        Trace(
            "SCRAM that the server does not know", "AUTH=SCRAM-SHA-256", "AUTHENTICATE SCRAM-SHA-256",
            ("BAD", "LOGIN"), ("OK", "finish")),
        Trace(
            "a wrong password under SCRAM is not told in PLAIN", "AUTH=PLAIN AUTH=SCRAM-SHA-256 SASL-IR",
            "AUTHENTICATE SCRAM-SHA-256 \(scram)", ("+ \(asked)", "…"),
            (
                "NO",
                "refused so; if the password is right, the server may not have it for SCRAM-SHA-256: try "
                    + "login: { mechanism: plain }"
            )),
        Trace(
            "a server in trouble under SCRAM is asked once more", "AUTH=PLAIN AUTH=SCRAM-SHA-256 SASL-IR",
            "AUTHENTICATE SCRAM-SHA-256 \(scram)", ("+ \(asked)", "…"),
            ("NO [UNAVAILABLE]", "AUTHENTICATE PLAIN \(plain)"), ("OK", "finish")),
        Trace(
            "SCRAM without the server's proof is no login", "AUTH=SCRAM-SHA-256 SASL-IR",
            "AUTHENTICATE SCRAM-SHA-256 \(scram)", ("+ \(asked)", "…"), ("OK", "serverNotVerified")),
        Trace(
            "success before the server knew anything is no login", "AUTH=SCRAM-SHA-256 SASL-IR",
            "AUTHENTICATE SCRAM-SHA-256 \(scram)", ("OK", "serverNotVerified")),
    ])
    func `a login sends these commands`(trace: Trace) throws {
        let credentials = SASLCredentials(
            user: "ann", proof: .password(Secret("pw")), mechanism: trace.mechanism)
        #expect(try run(credentials, trace) == [])
    }

    @Test(arguments: [
        Trace(
            "the reason, then the refusal", "AUTH=XOAUTH2 SASL-IR",
            "AUTHENTICATE XOAUTH2 \(Base64.encode(Array("user=ann\u{1}auth=Bearer pw\u{1}\u{1}".utf8)))",
            ("+ eyJzdGF0dXMiOiI0MDAifQ==", ""), ("NO", "refused so (400)")),
        Trace(
            "OAUTHBEARER that is offered and not known", "AUTH=XOAUTH2 AUTH=OAUTHBEARER",
            "AUTHENTICATE OAUTHBEARER",
            ("BAD", "AUTHENTICATE XOAUTH2"), ("+ ", "dXNlcj1hbm4BYXV0aD1CZWFyZXIgcHcBAQ=="), ("OK", "finish")),
        Trace("a token is no password", "AUTH=PLAIN", "noMechanism"),
    ])
    func `a login by token sends these commands`(trace: Trace) throws {
        #expect(try run(SASLCredentials(user: "ann", proof: .token(Secret("pw"))), trace) == [])
    }

    @Test func `a long token waits for a continuation`() throws {
        let token = String(repeating: "x", count: 6_000)
        var machine = try LoginStateMachine(
            SASLCredentials(user: "ann", proof: .token(Secret(token))),
            capabilities: [Capability("AUTH=XOAUTH2"), .saslIR], channel: .encrypted,
            server: SASLServer(host: "h", port: 1), nonce: "n")
        #expect(machine.start().words == "AUTHENTICATE XOAUTH2")
        #expect(try machine.receiveContinuation("").words.utf8.count > 8_000)
    }

    @Test func `without encryption, no login starts over a network`() {
        #expect(throws: ConnectionStateError.login(.notProtected)) {
            try LoginStateMachine(
                SASLCredentials(user: "ann", password: Secret("pw")), capabilities: [.authPlain],
                channel: .open,
                server: SASLServer(host: "h", port: 1), nonce: "n")
        }
    }

    /// What went otherwise.
    private func run(_ credentials: SASLCredentials, _ trace: Trace) throws -> [String] {
        var wrong: [String] = []
        func check(_ said: String, _ wanted: String, _ step: Int) {
            guard said != wanted, wanted != "…" || said.isEmpty else { return }
            wrong.append("step \(step): \(said) instead of \(wanted)")
        }
        do {
            var machine = try LoginStateMachine(
                credentials,
                capabilities: Set(trace.offered.split(separator: " ").map { Capability(String($0)) }),
                channel: .encrypted, server: SASLServer(host: "h", port: 1), nonce: "fyko+d2lbbFgONRv9qkxdawL"
            )
            check(machine.start().words, trace.start, 0)
            for (index, step) in trace.steps.enumerated() {
                check(Self.reply(&machine, step.server), step.client, index + 1)
            }
        } catch {
            check(Self.words(error), trace.start, 0)
        }
        return wrong
    }

    private static func reply(_ machine: inout LoginStateMachine, _ text: String) -> String {
        do {
            if text.hasPrefix("+") {
                return try machine.receiveContinuation(String(text.dropFirst(2))).words
            }
            let status = StatusResponse.Status(rawValue: String(text.prefix { $0 != " " })) ?? .bad
            let code: ResponseCode? = text.contains("[UNAVAILABLE]") ? .unavailable : nil
            return try machine.receiveTagged(StatusResponse(status, code: code, text: "so")).words
        } catch {
            return words(error)
        }
    }

    private static func words(_ error: ConnectionStateError) -> String {
        switch error {
        case .loginRefused(_, let text): "refused \(text)"
        case .login(.serverNotVerified): "serverNotVerified"
        case .login(.notOffered): "notOffered"
        case .login(.noMechanism): "noMechanism"
        case .login(let error): error.description
        case .noLoginMechanism: "noLoginMechanism"
        case .unexpected: "unexpected"
        case .preauthBeforeTLS, .startTLSRefused, .bye, .notLoggedIn, .noMailboxSelected, .loggedOut:
            "\(error)"
        }
    }
}

extension LoginStateMachine.Action {
    fileprivate var words: String {
        switch self {
        case .authenticate(let mechanism, let response):
            "AUTHENTICATE \(mechanism)" + (response.map { " \($0.reveal())" } ?? "")
        case .login: "LOGIN"
        case .respond(let response): response.reveal()
        case .finish: "finish"
        }
    }
}
