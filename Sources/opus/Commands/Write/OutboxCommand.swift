import ArgumentParser
import Documents
import Models
import Pipeline

struct OutboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox", abstract: "Show and manage mails that are being sent.",
        subcommands: [List.self, Retry.self, Discard.self, Settle.self, Wait.self],
        defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List mails that are queued, held, failed or need your decision.")

        @OptionGroup var global: GlobalOptions

        @Flag(name: .long, help: "Include mails that were sent or discarded.")
        var all = false

        func run() async throws {
            let console = global.console()
            let session = try Session.open(try global.sessionOptions(), .reading)
            defer { session.close() }
            let lines = try session.outbox.list(account: global.account, all: all)
            if console.isJSON {
                let stranded = try session.outbox.stranded()
                return try console.print(
                    json: OutboxDocument(lines, stranded: stranded, zone: session.zone))
            }
            try OutboxOutput(session: session, console: console).show(lines)
        }
    }

    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "retry",
            abstract: "Send a failed or held mail again, unchanged and with the same Message-ID.")

        @OptionGroup var global: GlobalOptions

        @Argument(help: "An id (opus outbox).")
        var mail: String

        func run() async throws {
            let console = global.console()
            try await Session.with(try global.sessionOptions(), .changing) { session in
                let line = try session.outbox.mail(mail, account: global.account)
                try session.outbox.retry(line)
                try await OutboxOutput(session: session, console: console).deliver(line)
            }
        }
    }

    struct Discard: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "discard", abstract: "Cancel a mail before it is sent; it becomes a draft again.")

        @OptionGroup var global: GlobalOptions

        @Argument(help: "An id (opus outbox).")
        var mail: String

        func run() async throws {
            let console = global.console()
            try await Session.with(try global.sessionOptions(), .changing) { session in
                let line = try session.outbox.mail(mail, account: global.account)
                try session.outbox.discard(line)
                if console.isJSON {
                    let lines = try session.outbox.list(account: nil, all: true).filter {
                        $0.step == line.step
                    }
                    return try console.print(json: OutboxDocument(lines, zone: session.zone))
                }
                let mayBeSent = line.state == .needsDecision
                console.print(
                    mayBeSent
                        ? "Cancelled: opus does not send \(line.id) again, but it may have been sent already."
                        : "Cancelled: \(line.id) will not be sent.")
                guard try session.outbox.hasDraft(line) else {
                    return console.note("A rule wrote it, so it has no draft.")
                }
                let other = mayBeSent ? "opus send \(line.id) --again" : "opus drafts edit \(line.id)"
                console.note("next: \(other)      or  opus drafts discard \(line.id)")
            }
        }
    }

    struct Settle: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "settle",
            abstract: "Say whether a mail arrived when the server's confirmation was lost.",
            discussion: """
                The mail was transmitted, but the connection broke before the server confirmed it, and no copy was found \
                in Sent. opus never sends such a mail twice on its own: check whether it arrived, then decide here.
                """)

        @OptionGroup var global: GlobalOptions

        @Flag(name: .long, help: "The mail arrived.")
        var sent = false

        @Flag(name: .long, help: "The mail did not arrive: send it again.")
        var notSent = false

        @Argument(help: "An id (opus outbox).")
        var mail: String

        func validate() throws {
            if sent == notSent { throw ValidationError("Use either --sent or --not-sent.") }
        }

        func run() async throws {
            let console = global.console()
            try await Session.with(try global.sessionOptions(), .changing) { session in
                let line = try session.outbox.mail(mail, account: global.account)
                try session.outbox.settle(line, wasSent: sent)
                try await OutboxOutput(session: session, console: console).deliver(line)
            }
        }
    }

    struct Wait: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "wait",
            abstract: "Send what is due, and wait until the outbox is empty or needs your decision.")

        @OptionGroup var global: GlobalOptions

        @Option(name: .long, help: ArgumentHelp("Wait at most this long.", valueName: "seconds"))
        var timeout = 600

        func run() async throws {
            let console = global.console()
            let start = ContinuousClock.now
            var finished: [OutboxLine] = []
            while true {
                let round = try await round(console)
                finished += round.finished
                if round.open.isEmpty {
                    if console.isJSON { try show(finished + round.left, console) }
                    if round.needsPerson { throw Outcome(status: .someFailed) }
                    if !console.isJSON { console.print("The outbox is empty.") }
                    return
                }
                if let refusal = round.refusal {
                    if console.isJSON { try show(finished + round.left, console) }
                    throw Problem(
                        "login-refused", exit: .loginRefused, message: refusal,
                        next: ["opus account check", "opus outbox"])
                }
                guard ContinuousClock.now - start < .seconds(timeout) else {
                    if console.isJSON { try show(finished + round.left, console) }
                    throw Problem(
                        "still-waiting", exit: .temporary,
                        message: counted(
                            round.open.count, "mail has not left yet", "mails have not left yet"),
                        next: ["opus outbox"])
                }
                try await Task.sleep(for: .seconds(1))
            }
        }

        private func show(_ lines: [OutboxLine], _ console: Console) throws {
            let session = try Session.open(try global.sessionOptions(), .reading)
            defer { session.close() }
            try console.print(json: OutboxDocument(lines, zone: session.zone))
        }

        /// Releases the lock between two rounds, so that the user can cancel a mail.
        private func round(_ console: Console) async throws -> OutboxRound {
            let result = Result()
            try await Session.with(try global.sessionOptions(), .changing) { session in
                result.round = try await session.outboxDelivery.deliver(account: global.account)
                let output = OutboxOutput(session: session, console: console)
                if !console.isJSON { for line in result.round.finished { output.tell(line) } }
            }
            return result.round
        }

        private final class Result: @unchecked Sendable {
            var round = OutboxRound(left: [], finished: [])
        }
    }
}

extension ExitStatus {
    /// The exit code if a due mail still waits.
    static func waiting(after report: RunReport) -> ExitStatus {
        switch report.drain.halt {
        case .loginRefused: .loginRefused
        case .lost, .offline, nil: report.drain.refusedSending == nil ? .temporary : .loginRefused
        }
    }
}
