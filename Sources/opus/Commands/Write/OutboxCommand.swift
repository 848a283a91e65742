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
                let round = try await round(console)
                if round.open.isEmpty {
                    if round.needsPerson { throw Outcome(status: .someFailed) }
                    return console.print("The outbox is empty.")
                }
                guard ContinuousClock.now - start < .seconds(timeout) else {
                    throw Problem(
                        "still-waiting", exit: .temporary,
                        message: counted(
                            round.open.count, "mail has not left yet", "mails have not left yet"),
                        next: ["opus outbox"])
                }
                try await Task.sleep(for: .seconds(1))
            }
        }

        /// The lock is free between two rounds, so that a mail can be taken back.
        private func round(_ console: Console) async throws -> OutboxRound {
            let result = Result()
            try await Session.with(try global.sessionOptions(), .changing) { session in
                result.round = try await session.deliverDue(account: global.account)
                let output = OutboxOutput(session: session, console: console)
                for line in result.round.finished { output.tell(line) }
            }
            return result.round
        }

        private final class Result: @unchecked Sendable {
            var round = OutboxRound(left: [], finished: [])
        }
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
