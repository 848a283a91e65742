import ArgumentParser
import Documents
import Models
import Pipeline

/// First-time senders, and the decisions about them.
struct ScreenerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "screener", abstract: "List first-time senders and decide about them.",
        discussion: """
            With screener: on in opus.yaml, mail of people who write to you for the first time waits in a mailbox of its own. \
            Mail of people to whom you wrote or who are in your address book, and answers to your mail, do not wait. opus writes \
            your decisions into lists/approved.txt and lists/denied.txt; rules can use these files in lists:.
            """,
        subcommands: [
            ScreenerListCommand.self, ScreenerApproveCommand.self, ScreenerDenyCommand.self,
            ScreenerClearCommand.self, ScreenerHistoryCommand.self,
        ], defaultSubcommand: ScreenerListCommand.self)
}

struct ScreenerListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the senders with waiting mail, newest first.")

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let session = try Session.open(try global.sessionOptions(), .reading)
        defer { session.close() }
        let console = global.console()
        let waiting = try session.screener.waiting(account: global.account)
        if console.isJSON { return try console.print(json: ScreenerDocument(waiting, session.zone)) }
        for sender in waiting { for line in ScreenerText.lines(sender) { console.print(line) } }
        guard !waiting.isEmpty else { return console.print("No sender waits in the screener.") }
        console.note("next: opus screener approve ID      or  opus screener deny ID")
    }
}

/// Selects the senders to decide about.
struct ScreenerChoice: ParsableArguments {
    @Flag(name: .long, help: "All senders with waiting mail.")
    var all = false

    @Argument(help: "Message ids or addresses (ana@x.example; @x.example for all of a domain that wait).")
    var senders: [String] = []

    func validate() throws {
        if all != senders.isEmpty { throw ValidationError("say which senders: ids or addresses, or --all") }
    }

    var selection: SenderSelection { all ? .all : .typed(senders) }

    /// Applies the decision and reports it.
    func run(_ decision: SenderDecision, _ global: GlobalOptions) async throws {
        let console = global.console()
        try await Session.with(try global.sessionOptions(), .changing) { session in
            let decided = try await session.screener.decide(decision, selection, account: global.account)
            let reports = decided.reports
            if reports.isEmpty, decided.leftOut.isEmpty, !console.isJSON {
                return console.print("Nothing to do.")
            }
            if !reports.isEmpty || console.isJSON {
                try RunOutput(session: session, console: console).show(reports)
            }
            for sender in decided.leftOut { console.report(.notListable(sender)) }
            let outcome = reports.reduce(decided.leftOut.isEmpty ? ExitStatus.done : .someFailed) {
                $0.worse($1.exit)
            }
            if outcome != .done { throw Outcome(status: outcome) }
        }
    }
}

struct ScreenerApproveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "approve",
        abstract: "Let senders in: their waiting mail and all later mail go to the inbox.",
        discussion:
            "opus undo undoes it. Example: opus screener approve 7k2q --to vip.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var choice: ScreenerChoice

    @Option(
        name: .long,
        help: ArgumentHelp("Also add them to this list of the folder lists.", valueName: "list"))
    var to: String?

    func run() async throws {
        var also: SenderList?
        if let to {
            guard let list = SenderList(rawValue: to), list != .denied else {
                throw Problem(
                    "bad-list", exit: .usage, message: "\"\(to)\" cannot be the name of a list here",
                    next: ["letters, digits, - and _: opus screener approve ID --to vip"])
            }
            also = list == .approved ? nil : list
        }
        try await choice.run(.approve(also: also), global)
    }
}

struct ScreenerDenyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deny", abstract: "Keep senders out: their held and later mail goes to the trash.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var choice: ScreenerChoice

    func run() async throws { try await choice.run(.deny, global) }
}

struct ScreenerClearCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear", abstract: "Archive waiting mail, without a decision about its senders.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var choice: ScreenerChoice

    func run() async throws { try await choice.run(.clear, global) }
}

struct ScreenerHistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "List the decisions about senders, newest first.")

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let session = try Session.open(try global.sessionOptions(), .reading)
        defer { session.close() }
        let console = global.console()
        let history = try session.screener.history()
        if console.isJSON { return try console.print(json: ScreenerDocument(history, session.zone)) }
        for record in history { console.print(ScreenerText.line(record, session.zone)) }
        guard history.isEmpty else { return }
        let listed = try session.screener.listed()
        guard !listed.isEmpty else { return console.print("Nothing was decided yet.") }
        let lists = listed.map { "\($0.list.path) (\(counted($0.count, "sender")))" }
        console.print("The store has no decision. In the workspace: " + lists.joined(separator: ", ") + ".")
    }
}
