import ArgumentParser
import Documents
import Foundation
import Models
import Pipeline

/// The verbs by hand: each does one thing with the messages that are named, as a run that can be undone.

/// What every verb by hand takes beside its messages.
struct HandOptions: ParsableArguments {
    @Flag(name: .long, help: "Show what would be done and stop.")
    var dryRun = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Apply only if the plan has this id; needed where a brake holds it.", valueName: "id"))
    var plan: String?
}

/// How much of a conversation, for the verbs that move.
struct HandScope: ParsableArguments {
    @Flag(name: .long, help: "Only the messages named.")
    var message = false

    @Flag(name: .long, help: "Also the rest of the conversation in the same mailbox.")
    var thread = false

    @Flag(name: .long, help: "Also messages that protect: in the rules holds.")
    var force = false

    func validate() throws {
        if message, thread { throw ValidationError("--message and --thread contradict each other") }
    }

    var takesThread: Bool? { message ? false : thread ? true : nil }
}

/// Carries out one verb.
struct HandRun {
    let global: GlobalOptions
    let options: HandOptions
    let verb: HandVerb
    /// The words of the command before its ids, for the next step: `opus move`.
    let command: String

    func run(_ typed: [String]) async throws {
        let console = global.console()
        let ids = try MessageIDs.read(typed)
        try await Session.with(try global.sessionOptions(), options.dryRun ? .reading : .changing) {
            session in
            var plans = try session.byHand.plans(for: verb, ids: ids, account: global.account)
            if options.dryRun { return try show(plans, session, console) }
            var isAsked = false
            for plan in plans { isAsked = try agree(to: plan, session, console) || isAsked }
            if isAsked {
                plans = try await session.byHand.rechecked(
                    plans, verb: verb, ids: ids, account: global.account)
            }
            var reports: [RunReport] = []
            for plan in plans { reports.append(try await session.byHand.apply(plan, verb: verb)) }
            if console.isJSON {
                try console.print(json: RunDocument(reports))
            } else {
                let output = RunOutput(session: session, console: console)
                if reports.allSatisfy(\.didNothing) { console.print("Nothing to do.") }
                for report in reports where !report.didNothing { output.show(report) }
            }
            let held = try tellProtected(plans, session, console)
            let outcome = reports.reduce(held ? ExitStatus.someFailed : .done) { $0.worse($1.exit) }
            if outcome != .done { throw Outcome(status: outcome) }
        }
    }

    /// Where a brake holds, the plan's id must be said: with the command, or typed now. Whether it was asked for.
    private func agree(to plan: Plan, _ session: Session, _ console: Console) throws -> Bool {
        let again = "\(command) …"
        let said = options.plan.map { [$0] } ?? []
        guard let problem = try session.brakes.problem(with: plan, said: said, command: again) else {
            return false
        }
        guard console.canAsk, !console.isJSON else { throw problem }
        try BrakeQuestion(session: session, console: console).ask(plan, problem)
        return true
    }

    private func show(_ plans: [Plan], _ session: Session, _ console: Console) throws {
        if console.isJSON {
            guard plans.count == 1, let plan = plans.first else {
                throw Problem(
                    "one-account", exit: .usage, message: "a plan document holds one account's plan",
                    next: ["add --account NAME"])
            }
            return try console.print(json: PlanDocument(plan, at: session.now))
        }
        for plan in plans { try HandPlanOutput(session: session, console: console).show(plan, verb) }
        _ = try tellProtected(plans, session, console)
    }

    /// Whether a message was left where it is because the rules protect it.
    private func tellProtected(_ plans: [Plan], _ session: Session, _ console: Console) throws -> Bool {
        let items = plans.flatMap(\.items).filter { $0.protectedBy != nil }
        guard !items.isEmpty else { return false }
        let ids = try session.messages.shortIDs(items.map(\.message))
        for item in items {
            console.note(
                console.style.yellow("protected ") + (ids[item.message] ?? "") + "  "
                    + TerminalText.line(item.subject) + ": " + TerminalText.line(item.protectedBy ?? ""))
        }
        console.note("next: \(command) … --force      moves them all the same")
        return true
    }
}

/// A plan by hand on the screen.
struct HandPlanOutput {
    let session: Session
    let console: Console

    func show(_ plan: Plan, _ verb: HandVerb) throws {
        let ids = try session.messages.shortIDs(plan.items.map(\.message))
        guard console.isTerminal else {
            for item in plan.items {
                let words = item.decisions.map { $0.action.word }.joined(separator: ",")
                console.print(
                    [
                        ids[item.message] ?? item.message.rawValue,
                        TerminalText.line(item.from?.addrSpec ?? ""),
                        TerminalText.line(item.subject), TerminalText.line(words),
                        "\(item.threadKeys.count + 1)",
                    ].joined(separator: "\t"))
            }
            return
        }
        let touched = plan.items.filter { !$0.isUntouched }
        guard !touched.isEmpty else { return console.print("Nothing to do.") }
        var shown = plan
        shown.items = touched
        let when = When(zone: session.zone, now: session.now)
        let text = PlanText(plan: shown, ids: ids, when: when, style: console.style, width: console.width)
        for line in text.lines() { console.print(line) }
        console.print("")
        console.print(console.style.bold(PlanTotals(shown).sentence) + " " + session.triage.name(of: plan))
    }
}

/// Asks for the id of a plan that a brake holds: whoever types it has seen it.
struct BrakeQuestion {
    let session: Session
    let console: Console

    func ask(_ plan: Plan, _ problem: Problem) throws {
        let name = session.triage.name(of: plan)
        console.note(console.style.yellow("! ") + TerminalText.line(problem.message))
        for detail in problem.details { console.note("  " + TerminalText.line(detail)) }
        let answer = console.read("Type \(name) to apply it all the same:")
        guard answer.lowercased() == name || "p:" + answer.lowercased() == name else { throw problem }
    }
}

/// The messages that a command names, each by the beginning of its id; `-` stands for standard input.
enum MessageIDs {
    /// More lines than this are no list of messages.
    static let most = 100_000

    /// From standard input the first word of each line, so that the output of `opus list` will do.
    static func read(_ typed: [String]) throws -> [String] {
        var ids: [String] = []
        for word in typed {
            guard word == "-" else {
                ids.append(word)
                continue
            }
            while let line = readLine() {
                guard let id = line.split(whereSeparator: \.isWhitespace).first else { continue }
                ids.append(String(id))
                guard ids.count <= most else {
                    throw Problem(
                        "too-many", exit: .badData, message: "more than \(most) ids on standard input")
                }
            }
        }
        return ids
    }
}

// MARK: - Moving

struct ArchiveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "archive",
        abstract: "Archive conversations: everything of them that is in the same mailbox.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: HandOptions
    @OptionGroup var scope: HandScope

    @Argument(help: "Message ids (opus list); - reads them from standard input.")
    var ids: [String]

    func run() async throws {
        let verb = HandVerb(.archive, takesThread: scope.takesThread, isForced: scope.force)
        try await HandRun(global: global, options: options, verb: verb, command: "opus archive").run(ids)
    }
}

struct TrashCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trash", abstract: "Move messages to the trash; only those named.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: HandOptions
    @OptionGroup var scope: HandScope

    @Argument(help: "Message ids (opus list); - reads them from standard input.")
    var ids: [String]

    func run() async throws {
        let verb = HandVerb(.trash, takesThread: scope.takesThread, isForced: scope.force)
        try await HandRun(global: global, options: options, verb: verb, command: "opus trash").run(ids)
    }
}

struct JunkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "junk", abstract: "Move messages to junk; only those named.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: HandOptions
    @OptionGroup var scope: HandScope

    @Argument(help: "Message ids (opus list); - reads them from standard input.")
    var ids: [String]

    func run() async throws {
        let verb = HandVerb(.junk, takesThread: scope.takesThread, isForced: scope.force)
        try await HandRun(global: global, options: options, verb: verb, command: "opus junk").run(ids)
    }
}

struct MoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Move conversations to a mailbox.",
        usage: "opus move <ids> ... <mailbox>")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: HandOptions
    @OptionGroup var scope: HandScope

    @Option(
        name: .long,
        help: ArgumentHelp("The mailbox, by name or role; then all words are ids.", valueName: "mailbox"))
    var to: String?

    @Argument(help: "Message ids (opus list; - reads them from standard input), and the mailbox.")
    var words: [String]

    func run() async throws {
        var ids = words
        guard let mailbox = to ?? ids.popLast(), !ids.isEmpty else {
            throw Problem(
                "no-mailbox", exit: .usage, message: "move what, and where to?",
                next: ["opus move 7k2q Projects", "opus list --json (mailboxes have a name and a role)"])
        }
        let verb = HandVerb(.move(to: mailbox), takesThread: scope.takesThread, isForced: scope.force)
        try await HandRun(global: global, options: options, verb: verb, command: "opus move").run(ids)
    }
}

// MARK: - Marking

struct LabelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "label", abstract: "Put a label on messages.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: HandOptions

    @Argument(help: "The label.")
    var label: String

    @Argument(help: "Message ids (opus list); - reads them from standard input.")
    var ids: [String]

    func run() async throws {
        let run = HandRun(
            global: global, options: options, verb: HandVerb(.label(label)), command: "opus label \(label)")
        try await run.run(ids)
    }
}

struct UnlabelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlabel", abstract: "Take a label off messages.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: HandOptions

    @Argument(help: "The label.")
    var label: String

    @Argument(help: "Message ids (opus list); - reads them from standard input.")
    var ids: [String]

    func run() async throws {
        let run = HandRun(
            global: global, options: options, verb: HandVerb(.unlabel(label)),
            command: "opus unlabel \(label)")
        try await run.run(ids)
    }
}

struct FlagCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "flag", abstract: "Flag messages.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: HandOptions

    @Argument(help: "Message ids (opus list); - reads them from standard input.")
    var ids: [String]

    func run() async throws {
        try await HandRun(global: global, options: options, verb: HandVerb(.flag), command: "opus flag").run(
            ids)
    }
}

struct UnflagCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unflag", abstract: "Take the flag off messages.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: HandOptions

    @Argument(help: "Message ids (opus list); - reads them from standard input.")
    var ids: [String]

    func run() async throws {
        let run = HandRun(global: global, options: options, verb: HandVerb(.unflag), command: "opus unflag")
        try await run.run(ids)
    }
}

struct ReadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "read", abstract: "Mark messages as read.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: HandOptions

    @Argument(help: "Message ids (opus list); - reads them from standard input.")
    var ids: [String]

    func run() async throws {
        try await HandRun(global: global, options: options, verb: HandVerb(.read), command: "opus read").run(
            ids)
    }
}

struct UnreadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unread", abstract: "Mark messages as unread.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: HandOptions

    @Argument(help: "Message ids (opus list); - reads them from standard input.")
    var ids: [String]

    func run() async throws {
        let run = HandRun(global: global, options: options, verb: HandVerb(.unread), command: "opus unread")
        try await run.run(ids)
    }
}
