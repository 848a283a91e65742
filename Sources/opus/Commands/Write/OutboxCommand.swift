import ArgumentParser
import Documents
import Models
import Pipeline

struct OutboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox", abstract: "Mails on their way out.",
        subcommands: [List.self, Retry.self, Discard.self, Settle.self, Wait.self],
        defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "What is to be sent, what could not be, and what only you can tell.")

        @OptionGroup var global: GlobalOptions

        @Flag(name: .long, help: "Also what was sent, and what was taken back.")
        var all = false

        func run() async throws {
            let console = global.console()
            let session = try Session.open(try global.sessionOptions(), .reading)
            defer { session.close() }
            let lines = try session.outbox.list(account: global.account, all: all)
            if console.isJSON { return try console.print(json: OutboxDocument(lines, zone: session.zone)) }
            OutboxOutput(session: session, console: console).show(lines)
        }
    }

    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Send a mail now that failed or was held, the same under the same Message-ID.")

        @OptionGroup var global: GlobalOptions

        @Argument(help: "An id (opus outbox).")
        var mail: String

        func run() async throws {
            let console = global.console()
            try await Session.with(try global.sessionOptions(), .changing) { session in
                let line = try session.outbox.mail(mail)
                try session.outbox.retry(line)
                try await OutboxOutput(session: session, console: console).deliver(line)
            }
        }
    }

    struct Discard: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take a mail back before it leaves; it is a draft again.")

        @OptionGroup var global: GlobalOptions

        @Argument(help: "An id (opus outbox).")
        var mail: String

        func run() async throws {
            let console = global.console()
            try await Session.with(try global.sessionOptions(), .changing) { session in
                let line = try session.outbox.mail(mail)
                try session.outbox.discard(line)
                console.print("Taken back: \(line.id) is not sent.")
                console.note("next: opus drafts edit \(line.id)      or  opus drafts discard \(line.id)")
            }
        }
    }

    struct Settle: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Say what became of a mail whose last answer was lost.",
            discussion: """
                The mail left, but the server's answer did not come and no copy of it was found. Nothing is sent twice \
                by itself: you look, and say.
                """)

        @OptionGroup var global: GlobalOptions

        @Flag(name: .long, help: "It arrived.")
        var sent = false

        @Flag(name: .long, help: "It did not arrive: the same mail is sent again.")
        var notSent = false

        @Argument(help: "An id (opus outbox).")
        var mail: String

        func validate() throws {
            if sent == notSent { throw ValidationError("Say either --sent or --not-sent.") }
        }

        func run() async throws {
            let console = global.console()
            try await Session.with(try global.sessionOptions(), .changing) { session in
                let line = try session.outbox.mail(mail)
                try session.outbox.settle(line, wasSent: sent)
                try await OutboxOutput(session: session, console: console).deliver(line)
            }
        }
    }

    struct Wait: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Send what is due, and wait until the outbox is empty or needs you.")

        @OptionGroup var global: GlobalOptions

        @Option(name: .long, help: ArgumentHelp("At most so long.", valueName: "seconds"))
        var timeout = 600

        func run() async throws {
            let console = global.console()
            let start = ContinuousClock.now
            while true {
                let lines = try await round(console)
                let open = lines.filter { [.queued, .sending, .unknown].contains($0.state) }
                if open.isEmpty {
                    let stuck = lines.filter { $0.state != .sent && $0.state != .discarded }
                    if stuck.isEmpty { return console.print("The outbox is empty.") }
                    throw Outcome(status: .someFailed)
                }
                guard ContinuousClock.now - start < .seconds(timeout) else {
                    throw Problem(
                        "still-waiting", exit: .temporary,
                        message: counted(open.count, "mail has not left yet", "mails have not left yet"),
                        next: ["opus outbox"])
                }
                try await Task.sleep(for: .seconds(1))
            }
        }

        /// Delivers what is due; the lock is free between two rounds, so that a mail can be taken back.
        private func round(_ console: Console) async throws -> [OutboxLine] {
            let result = Lines()
            try await Session.with(try global.sessionOptions(), .changing) { session in
                let before = try session.outbox.list(account: global.account)
                let isDue = { (line: OutboxLine) in line.dueAt.map { Step.isDue($0, at: session.now) } ?? true
                }
                let open = before.filter { [.queued, .sending, .unknown].contains($0.state) && isDue($0) }
                for account in Set(open.map(\.account)).sorted() {
                    _ = try await session.journal.deliver(account)
                    try await session.sending.finish(account)
                }
                result.lines = try session.outbox.list(account: global.account)
                let left = Set(result.lines.map(\.name))
                let output = OutboxOutput(session: session, console: console)
                for line in try session.outbox.list(account: global.account, all: true)
                where open.contains(where: { $0.name == line.name }) && !left.contains(line.name) {
                    output.tell(line)
                }
            }
            return result.lines
        }

        private final class Lines: @unchecked Sendable {
            var lines: [OutboxLine] = []
        }
    }
}

/// Mails of the outbox on the screen.
struct OutboxOutput {
    let session: Session
    let console: Console

    func show(_ lines: [OutboxLine]) {
        let when = When(zone: session.zone, now: session.now)
        var table = Table([
            .init(title: "ID"), .init(title: "STATE"), .init(title: "WHEN"),
            .init(title: "TO", isFlexible: true),
            .init(title: "SUBJECT", isFlexible: true), .init(title: "WHY", isFlexible: true),
        ])
        for line in lines {
            let time = line.dueAt ?? line.queuedAt
            table.add([
                line.id, line.state.rawValue,
                console.isTerminal ? when.moment(time) : session.zone.rfc3339(time),
                TerminalText.line(line.recipients.joined(separator: ", ")), TerminalText.line(line.subject),
                TerminalText.line(line.reason ?? ""),
            ])
        }
        console.print(table)
        if lines.isEmpty { console.note("The outbox is empty.") }
        if lines.contains(where: { $0.state == .needsDecision }) {
            console.note("next: opus outbox settle ID --sent      or  --not-sent (it is sent again)")
        }
        if lines.contains(where: { $0.state == .held }) {
            console.note("next: opus outbox retry ID      or  opus outbox discard ID")
        }
    }

    /// What became of one mail, in a line, and the server's words.
    func tell(_ line: OutboxLine) {
        let to = TerminalText.line(line.recipients.joined(separator: ", "))
        let words = line.reason.map { ": " + TerminalText.line($0) } ?? ""
        switch line.state {
        case .sent: console.print("Sent \(line.id) to \(to).")
        case .queued, .held:
            let until = line.dueAt.map { " until \(session.zone.local($0).clock)" } ?? ""
            console.print("Waits in the outbox\(until): \(line.id) to \(to)\(words)")
        case .sending, .unknown:
            console.print("Not known yet: \(line.id) to \(to)\(words)")
            console.note("It is looked for with the next run, and not sent again.")
        case .failed:
            console.print(console.style.red("failed ") + "\(line.id) to \(to)\(words)")
            console.note("next: opus drafts edit \(line.id)      or  opus outbox retry \(line.id)")
        case .needsDecision:
            console.print(console.style.red("needs your decision ") + "\(line.id) to \(to)\(words)")
            console.note("next: opus outbox settle \(line.id) --sent      or  --not-sent (it is sent again)")
        case .discarded: console.print("Taken back: \(line.id) was not sent.")
        }
        for (address, words) in line.refusals.sorted(by: { $0.key < $1.key }) {
            console.print("  " + TerminalText.line("\(address): \(words)"))
        }
    }

    /// Carries out what is due, and says what became of the mail.
    func deliver(_ mail: OutboxLine) async throws {
        let report = try await session.journal.deliver(mail.account)
        try await session.sending.finish(mail.account)
        let line = try session.outbox.mail(mail.name)
        if console.isJSON {
            try console.print(json: OutboxDocument([line], zone: session.zone))
        } else {
            tell(line)
        }
        guard line.state != .queued else { throw Outcome(status: .waiting(after: report)) }
        if line.state != .sent { throw Outcome(status: .someFailed) }
    }
}

extension ExitStatus {
    /// What it means that a mail waits which was to leave now.
    static func waiting(after report: RunReport) -> ExitStatus {
        switch report.drain.halt {
        case .loginRefused: .loginRefused
        case .lost, .offline, nil: .temporary
        }
    }
}
