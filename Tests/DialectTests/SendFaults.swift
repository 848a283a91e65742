import DialectServer
import Executor
import MailStore
import Models
import SASL
import SMTPClient
import Testing
import Transport

/// What goes wrong with one of three messages that are sent.
struct SendFault: CustomStringConvertible, Sendable {
    enum Trouble: String, CaseIterable, Sendable {
        case close, reset, stall, garbage
        case later = "451"
        case refusal = "550"
        /// From here on nothing more reaches the journal, and the program is started again.
        case kill
    }

    var trouble: Trouble
    var place: SubmissionFault.Place
    /// Which of the messages.
    var number: Int
    /// The server puts what it takes into Sent.
    var filesSent: Bool
    /// Octets of the text.
    var size: Int

    var description: String {
        "\(trouble.rawValue) at \(place) of message \(number + 1), \(size) octets"
            + (filesSent ? ", filed by the server" : "")
    }

    /// The client may have sent the final dot, and not have written down what became of it.
    var mayBePastDot: Bool {
        switch place {
        case .go, .body, .dot, .stored, .reply: true
        case .answered, .quit: trouble == .kill
        case .greeting, .ehlo, .auth, .mail, .rcpt, .data: false
        }
    }

    static let all: [SendFault] = {
        let places: [SubmissionFault.Place] = [
            .greeting, .ehlo, .auth, .mail, .rcpt, .data, .go, .body(1), .body(60), .body(300), .dot, .stored,
            .reply, .answered, .quit,
        ]
        var all: [SendFault] = []
        for size in [100, 9_000] {
            for filesSent in [false, true] {
                for number in 0..<3 {
                    for place in places + (size > 1_000 ? [.body(4_000), .body(9_000)] : []) {
                        for trouble in Trouble.allCases where isHonest(trouble, at: place) {
                            all.append(
                                SendFault(
                                    trouble: trouble, place: place, number: number, filesSent: filesSent,
                                    size: size))
                        }
                    }
                }
            }
        }
        return all
    }()

    /// A server that stores a message and says that it did not makes two of it, whatever a client does.
    private static func isHonest(_ trouble: Trouble, at place: SubmissionFault.Place) -> Bool {
        let isReply = trouble == .later || trouble == .refusal
        return !isReply || ![.stored, .reply, .go].contains(place)
    }
}

/// Three messages are sent, one of them in trouble; and what must be true when all is quiet again.
struct SendFaultGame {
    let fault: SendFault

    private static let names = ["in-1", "in-2", "in-3"]

    /// - Returns: what went wrong, in words, and how many messages were left to a person.
    func play() async throws -> (problems: [String], shown: Int) {
        let world = try await DialectWorld(.dovecot)
        world.server.act { model in
            for name in Self.names { model.deliver(TestMail.plain(name)) }
        }
        let smtp = try await SubmissionServer.start(
            beside: world.server, filingIn: fault.filesSent ? "Sent" : nil)
        try await world.sync()
        try world.queue(try steps(world))
        let store = world.store
        smtp.arm(
            SubmissionFault(effect { store.close() }, at: fault.place, skipping: fault.number))
        _ = try? await world.drain(submitter: submitter(smtp, .milliseconds(150)))
        smtp.disarm()
        smtp.hangUp()
        await world.disconnect()
        let after = try restarted(world)
        for _ in 1...8 {
            _ = try? await after.sync(later: 1_200)
            try await after.drain(submitter: submitter(smtp, .seconds(30)))
            // After a crash, sending is paused until the user confirms; this confirms.
            try after.store.journal.approve(steps(of: after).filter { $0.state == .planned }.compactMap(\.id))
            if try steps(of: after).allSatisfy({ !$0.state.isOpen }) { break }
        }
        let problems = try problems(after, smtp) + smtp.violations + world.server.violations
        let shown = try steps(of: after).filter { $0.state == .needsDecision }.count
        await after.disconnect()
        await smtp.stop()
        if fault.trouble == .kill { after.store.close() }
        await world.close()
        return (problems, shown)
    }

    private func effect(kill: @escaping @Sendable () -> Void) -> SubmissionFault.Effect {
        switch fault.trouble {
        case .close: .close
        case .reset: .reset
        case .stall: .stall
        case .garbage: .garbage
        case .later: .say("451 4.3.0 later")
        case .refusal: .say("550 5.7.1 not from you")
        case .kill: .act("kill", kill)
        }
    }

    /// The program is started again: after a kill with the journal as it was.
    private func restarted(_ world: DialectWorld) throws -> DialectWorld {
        guard fault.trouble == .kill else { return world }
        world.store.close()
        let store = try Store.open(path: try #require(world.folder) + "/store.sqlite")
        return DialectWorld(world.account, at: world.server, store: store, tasks: world.tasks)
    }

    private func steps(_ world: DialectWorld) throws -> [Step] {
        let archive = try archiveMailbox(world)
        let sent = try #require(try world.store.sync.mailboxes(of: world.account).first { $0.role == .sent })
        return try Self.names.flatMap { name in
            let (id, _) = try world.key(name)
            let mail = TestMail.plain("to-\(name)", size: fault.size)
            let token = MessageID("to-\(name)@x.example")
            return [
                Step(
                    idempotencyKey: "send \(name)", message: id, cause: .rule("test"),
                    kind: .submit(
                        reversePath: "me@example.org", forwardPaths: ["bob@acme.example"], message: mail,
                        token: token)),
                Step(
                    idempotencyKey: "copy \(name)", message: id, cause: .rule("test"),
                    kind: .append(to: sent, message: mail, flags: [.seen], token: token)),
                try world.move(name, to: archive),
            ]
        }
    }

    private func submitter(_ smtp: SubmissionServer, _ patience: Duration) -> SMTPSubmitter {
        let port = smtp.port
        return SMTPSubmitter(logger: DialectWorld.silent) {
            SMTPConfiguration(
                endpoint: Endpoint(host: "127.0.0.1", port: port), security: .plaintext,
                credentials: SASLCredentials(user: "ann", password: Secret("hunter2")),
                timeouts: Timeouts(connect: patience, tls: patience, receive: patience), dotTimeout: patience)
        }
    }

    private func steps(of world: DialectWorld) throws -> [Step] {
        try world.store.runs.runs(limit: 10).flatMap { try world.store.runs.run($0.id)?.steps ?? [] }
    }

    // MARK: The oracle

    private func problems(_ world: DialectWorld, _ smtp: SubmissionServer) throws -> [String] {
        var problems: [String] = []
        let steps = try steps(of: world)
        let delivered = smtp.deliveries.map { String(decoding: $0.bytes, as: UTF8.self) }
        for step in steps where step.state.isOpen { problems.append("stuck: \(words(step))") }
        for (number, name) in Self.names.enumerated() {
            let count = delivered.count { $0.contains("Message-ID: <to-\(name)@x.example>") }
            let copies = places(of: "to-\(name)", world)
            guard let step = steps.first(where: { $0.idempotencyKey == "send \(name)" }) else {
                problems.append("no step for \(name)")
                continue
            }
            let isInTrouble = number == fault.number
            if count > 1 { problems.append("\(name) was sent \(count) times, and: \(words(step))") }
            let there = places(of: name, world)
            switch step.state {
            case .confirmed:
                if count != 1 { problems.append("\(name) was lost, and: \(words(step))") }
                if copies != ["Sent"] { problems.append("the copies of \(name) are in \(copies)") }
                if there != ["Archive"] { problems.append("\(name) is in \(there)") }
            case .needsDecision where isInTrouble && fault.mayBePastDot:
                if there != ["INBOX"] { problems.append("\(name) is in \(there)") }
                if step.error?.isEmpty != false { problems.append("no word about \(name)") }
            case .rejected where isInTrouble && fault.trouble == .refusal:
                if count != 0 || there != ["INBOX"] { problems.append("refused, and \(name) is in \(there)") }
            default: problems.append(words(step))
            }
        }
        return problems
    }

    private func words(_ step: Step) -> String {
        "\(step.idempotencyKey): \(step.state.rawValue) \(step.error ?? "") \(step.proof?.sentence ?? "")"
    }
}
