import NIOCore
import SASL
import Testing

@testable import SMTPProtocol

/// What the server says, and what the client does then. `C:` is a line that is sent.
struct Trace: Sendable, CustomTestStringConvertible {
    let name: String
    let steps: [(server: String, client: String)]
    var testDescription: String { name }

    init(_ name: String, _ steps: (String, String)...) {
        self.name = name
        self.steps = steps.map { (server: $0.0, client: $0.1) }
    }

    /// `250-a|b` is a reply of two lines.
    static func reply(_ text: String) -> Reply {
        let lines = text.dropFirst(4).split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        return Reply(code: Int(text.prefix(3)) ?? 0, lines: lines)
    }
}

@Suite struct SubmissionSessionTests {
    static let login = SASLCredentials(user: "ann", password: Secret("pw"))
    /// NUL ann NUL pw.
    static let plain = "AGFubgBwdw=="

    static let startTLS: [Trace] = [
        Trace(
            "STARTTLS, EHLO again, PLAIN with its response",
            ("220 hi", "C: EHLO localhost"),
            ("250 me|STARTTLS|AUTH PLAIN", "C: STARTTLS"),
            ("220 go", "TLS"),
            ("TLS", "C: EHLO localhost"),
            ("250 me|AUTH LOGIN PLAIN|SIZE 5", "C: AUTH PLAIN \(plain)"),
            ("235 in", "ready")
        ),
        Trace(
            "what was offered before TLS is forgotten",
            ("220 hi", "C: EHLO localhost"),
            ("250 me|STARTTLS|AUTH PLAIN", "C: STARTTLS"),
            ("220 go", "TLS"),
            ("TLS", "C: EHLO localhost"),
            ("250 me", "fail: noLoginMechanism(offered: [])")
        ),
        Trace(
            "a server without STARTTLS gets no login, even when it offers one",
            ("220 hi", "C: EHLO localhost"),
            ("250 me|AUTH PLAIN", "fail: noTLSOffered")
        ),
        Trace(
            "a refused STARTTLS ends the session",
            ("220 hi", "C: EHLO localhost"),
            ("250 me|STARTTLS", "C: STARTTLS"),
            ("454 no", "fail: startTLSRefused 454")
        ),
        Trace("a refused greeting ends the session", ("554 go away", "fail: greetingRefused 554")),
        Trace(
            "a refused EHLO ends the session",
            ("220 hi", "C: EHLO localhost"),
            ("502 what", "fail: greetingRefused 502")
        ),
    ]

    @Test(arguments: startTLS)
    func `STARTTLS is requested, and nothing is sent without TLS`(trace: Trace) throws {
        try run(trace, .startTLS)
    }

    static let protected: [Trace] = [
        Trace(
            "LOGIN asks for the user and then for the password",
            ("220 hi", "C: EHLO localhost"),
            ("250 me|AUTH LOGIN XOAUTH2", "C: AUTH LOGIN"),
            ("334 VXNlcm5hbWU6", "C: YW5u"),
            ("334 UGFzc3dvcmQ6", "C: cHc="),
            ("235 in", "ready")
        ),
        Trace(
            "LOGIN does not care what the challenges say",
            ("220 hi", "C: EHLO localhost"),
            ("250 me|AUTH=LOGIN", "C: AUTH LOGIN"),
            ("334 ", "C: YW5u"),
            ("334 ", "C: cHc="),
            ("235 in", "ready")
        ),
        Trace(
            "a refused login says why",
            ("220 hi", "C: EHLO localhost"),
            ("250 me|AUTH PLAIN", "C: AUTH PLAIN \(plain)"),
            ("535 5.7.8 bad credentials", "fail: loginRefused 535")
        ),
        Trace(
            "a refused user name is a refused login, and the password stays here",
            ("220 hi", "C: EHLO localhost"),
            ("250 me|AUTH LOGIN", "C: AUTH LOGIN"),
            ("334 VXNlcm5hbWU6", "C: YW5u"),
            ("535 no such user", "fail: loginRefused 535")
        ),
        Trace(
            "a server in trouble is not a wrong password",
            ("220 hi", "C: EHLO localhost"),
            ("250 me|AUTH PLAIN", "C: AUTH PLAIN \(plain)"),
            ("454 later", "fail: transient 454")
        ),
        Trace(
            "success before the password was sent is no success",
            ("220 hi", "C: EHLO localhost"),
            ("250 me|AUTH LOGIN", "C: AUTH LOGIN"),
            (
                "235 in",
                "fail: invalidLogin(reason: \"the server did not prove that it knows the password; "
                    + "another server may be posing as it\")"
            )
        ),
        Trace(
            "a challenge after the response is no success",
            ("220 hi", "C: EHLO localhost"),
            ("250 me|AUTH PLAIN", "C: AUTH PLAIN \(plain)"),
            (
                "334 more",
                "fail: invalidLogin(reason: \"the server asked again, although the login by PLAIN was "
                    + "complete\")"
            )
        ),
        Trace(
            "SCRAM is preferred, and a server that cannot do it for this user is told the password",
            ("220 hi", "C: EHLO localhost"),
            (
                "250 me|AUTH PLAIN SCRAM-SHA-256",
                "C: AUTH SCRAM-SHA-256 biwsbj1hbm4scj1meWtvK2QybGJiRmdPTlJ2OXFreGRhd0w="
            ),
            ("535 5.7.8 no", "C: AUTH PLAIN \(plain)"),
            ("535 5.7.8 no", "fail: loginRefused 535")
        ),
        Trace(
            "a mechanism that was refused as unknown is tried once in another form",
            ("220 hi", "C: EHLO localhost"),
            (
                "250 me|AUTH SCRAM-SHA-1 LOGIN",
                "C: AUTH SCRAM-SHA-1 biwsbj1hbm4scj1meWtvK2QybGJiRmdPTlJ2OXFreGRhd0w="
            ),
            ("504 what", "C: AUTH LOGIN"),
            ("504 what", "fail: loginRefused 504")
        ),
        Trace(
            "mechanisms we do not speak are named",
            ("220 hi", "C: EHLO localhost"),
            ("250 me|AUTH XOAUTH2 CRAM-MD5", "fail: noLoginMechanism(offered: [\"XOAUTH2\", \"CRAM-MD5\"])")
        ),
    ]

    @Test(arguments: protected)
    func `an encrypted session logs in`(trace: Trace) throws {
        try run(trace, .tls)
        try run(trace, .plaintextOnThisMachine)
    }

    static let token: [Trace] = [
        Trace(
            "the reason of an OAuth server is read before its refusal",
            ("220 hi", "C: EHLO localhost"),
            (
                "250 me|AUTH XOAUTH2 PLAIN",
                "C: AUTH XOAUTH2 \(Base64.encode(Array("user=ann\u{1}auth=Bearer t0k\u{1}\u{1}".utf8)))"
            ),
            ("334 eyJzdGF0dXMiOiI0MDAifQ==", "C: "),
            ("535 5.7.8 bad", "fail: loginRefused 535 5.7.8 bad (400)")
        ),
        Trace(
            "a token is not used as a password",
            ("220 hi", "C: EHLO localhost"),
            (
                "250 me|AUTH PLAIN LOGIN",
                "fail: invalidLogin(reason: \"the server offers no login by token that opus can use; it offers "
                    + "LOGIN PLAIN\")"
            )
        ),
    ]

    @Test(arguments: token)
    func `a session logs in with a token`(trace: Trace) throws {
        try run(trace, .tls, login: SASLCredentials(user: "ann", proof: .token(Secret("t0k"))))
    }

    @Test func `an unencrypted login over a network is refused before anything is sent`() {
        #expect(throws: SubmissionFailure.loginNeedsEncryption) {
            try Self.session(Self.login, .plaintext)
        }
    }

    @Test func `a server that offers no login gets none`() throws {
        let trace = Trace("", ("220 hi", "C: EHLO localhost"), ("250 me|AUTH PLAIN", "ready"))
        try run(trace, .plaintext, login: nil)
    }

    @Test func `a long password is sent after the challenge`() throws {
        let long = SASLCredentials(user: "ann", password: Secret(String(repeating: "x", count: 400)))
        var session = try Self.session(long)
        _ = session.receive(Trace.reply("220 hi"))
        #expect(session.receive(Trace.reply("250 me|AUTH PLAIN")).words == "C: AUTH PLAIN")
        let response = session.receive(Trace.reply("334 "))
        #expect(response.words.utf8.count > 500)
        #expect(session.receive(Trace.reply("235 in")).words == "ready")
    }

    @Test func `a host name that could contain a command is not sent with EHLO`() {
        #expect(throws: SubmissionFailure.invalidHeloName("x\r\nQUIT")) {
            try Self.session(nil, heloName: "x\r\nQUIT")
        }
    }

    @Test func `nothing that is printed shows the password`() throws {
        let secret = SASLCredentials(user: "ann", password: Secret("canary"))
        let encoded = Base64.encode(Array("\0ann\0canary".utf8))
        var session = try Self.session(secret)
        _ = session.receive(Trace.reply("220 hi"))
        let action = session.receive(Trace.reply("250 me|AUTH PLAIN"))
        var text = "\(action) \(session) \(String(reflecting: action)) \(String(reflecting: session))"
        dump(action, to: &text)
        dump(session, to: &text)
        #expect(action.words == "C: AUTH PLAIN \(encoded)")
        #expect(!text.contains("canary") && !text.contains(encoded))
        #expect(text.contains("AUTH PLAIN •••"))
    }

    static func session(
        _ login: SASLCredentials?, _ protection: SubmissionSession.Protection = .tls,
        heloName: String = "localhost"
    ) throws(SubmissionFailure) -> SubmissionSession {
        try SubmissionSession(
            heloName: heloName, credentials: login, protection: protection,
            host: SASLServer(host: "smtp.example.org", port: 465), nonce: "fyko+d2lbbFgONRv9qkxdawL")
    }

    private func run(
        _ trace: Trace, _ protection: SubmissionSession.Protection,
        login: SASLCredentials? = Self.login
    ) throws {
        var session = try Self.session(login, protection)
        for (index, step) in trace.steps.enumerated() {
            let action =
                step.server == "TLS" ? session.receiveTLS() : session.receive(Trace.reply(step.server))
            #expect(action.words == step.client, "step \(index)")
        }
    }
}

extension SubmissionSession.Action {
    var words: String {
        switch self {
        case .send(let command): "C: " + String(buffer: command.bytes).dropLast()
        case .startTLS: "TLS"
        case .ready: "ready"
        case .fail(let failure): "fail: " + failure.words
        }
    }
}

extension SubmissionFailure {
    var words: String {
        switch self {
        case .greetingRefused(let reply): "greetingRefused \(reply.code)"
        case .startTLSRefused(let reply): "startTLSRefused \(reply.code)"
        case .loginRefused(let reply):
            "loginRefused \(reply.code)" + (reply.text.contains("(") ? " \(reply.text)" : "")
        case .transient(let reply): "transient \(reply.code)"
        case .permanent(let reply): "permanent \(reply.code)"
        case .unexpectedReply(let reply, _): "unexpectedReply \(reply.code)"
        case .recipientsRefused(let refused):
            "refused " + refused.map { "\($0.address) \($0.reply.code)" }.joined(separator: ", ")
        case .noTLSOffered, .loginNeedsEncryption, .noLoginMechanism, .invalidLogin, .invalidHeloName,
            .invalidAddress, .noRecipients, .tooManyRecipients, .messageTooLarge, .needs8BitMIME,
            .needsSMTPUTF8, .lost, .unknownAfterDot, .wrongState:
            "\(self)"
        }
    }
}
