import ArgumentParser
import Models
import Pipeline

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Do everything: sync, update tasks and mail from each other, triage by the rules, report.",
        discussion:
            "Shows the plan and asks before applying it; --yes applies it without asking. A second run has nothing to do."
    )

    @OptionGroup var global: GlobalOptions

    @Flag(name: [.long, .customShort("y")], help: "Apply without asking.")
    var yes = false

    @Flag(
        name: [.long, .customShort("p")],
        help: "Ask about each message of the plan: y yes, s skip, e other action, A all of this rule, q stop."
    )
    var oneByOne = false

    @Flag(name: .long, help: "Sync, show what would be done, and change nothing else.")
    var dryRun = false

    @Option(name: .long, help: ArgumentHelp("Triage only by this rule.", valueName: "id"))
    var rule: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Triage only inbox messages that match this query.", valueName: "query"))
    var query: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Change at most this many messages, newest first; none removes the limit.", valueName: "number"))
    var max: ListLimit?

    @Flag(name: .long, help: "Proceed even if most task files are missing.")
    var allowMassDelete = false

    @Flag(name: .long, help: "Trash the mail of finished tasks (tasks.when-done: trash) without asking.")
    var allowTrash = false

    @Flag(name: .long, help: "Move the mail of changed tasks even if it is more than brakes.count allows.")
    var allowMassMove = false

    func validate() throws {
        if oneByOne, yes || dryRun || global.json {
            throw ValidationError("--one-by-one asks: use it without --yes, --dry-run and --json.")
        }
        try TriageLimit.check(max)
    }

    func run() async throws {
        let console = global.console()
        guard yes || dryRun || console.canAsk else {
            try global.requireWorkspace()
            throw Problem.needsYes(next: ["opus run --yes", "opus run --dry-run"])
        }
        if !dryRun { try await fetchTasks(console) }
        try await Session.with(try global.sessionOptions(), .changing) { session in
            let options = try options(session)
            try OutboxOutput(session: session, console: console).tellStranded()
            let output = MorningOutput(
                session: session, console: console, appliesAll: yes, isDryRun: dryRun,
                isOneByOne: oneByOne)
            defer { console.endProgress() }
            let walk = oneByOne ? PlanWalkOutput(session: session, console: console) : nil
            var morning = try Morning(session, options, ask: TerminalAsk(console: console, walk: walk)) {
                try output.show($0)
            }
            let report = try await morning.run()
            try output.show(report)
            if report.exit != .done { throw Outcome(status: report.exit) }
        }
    }

    /// Syncs tasks first, so that this run knows what changed on another device. If the server is away, the run continues.
    private func fetchTasks(_ console: Console) async throws {
        guard let syncing = try TaskSyncing(try global.sessionOptions()) else { return }
        switch try await syncing.brief().run(.server) {
        case .failed(let problem, isNews: true):
            syncing.takeProblem()
            console.report(problem)
        case .synced(_, _, let onlyHere):
            if let words = syncing.newsAbout(onlyHere: onlyHere) { console.warn(TerminalText.line(words)) }
        case .busy:
            console.warn(
                "another opus process is still syncing the tasks, so changes on the calendar server may come only with a later run"
            )
        case .failed, .nothing: break
        }
    }

    private func options(_ session: Session) throws -> Morning.Options {
        var options = Morning.Options()
        options.account = global.account
        options.appliesAll = yes
        options.isOneByOne = oneByOne
        options.isDryRun = dryRun
        options.rule = rule
        if let query {
            options.query = try QueryText.parse([query], rules: try session.rules.library().rules)
            options.queryText = query
        }
        options.limit = TriageLimit(max)
        options.allowsMassDelete = allowMassDelete
        options.allowsTrash = allowTrash
        options.allowsMassMove = allowMassMove
        return options
    }
}

extension TriageLimit {
    /// `--max`: a number, `none`, or nothing.
    init(_ max: ListLimit?) {
        switch max {
        case nil: self = .usual
        case .all?: self = .all
        case .most(let number)?: self = .most(number)
        }
    }

    static func check(_ max: ListLimit?) throws {
        if max == .most(0) { throw ValidationError("--max takes a number of at least 1, or none.") }
    }
}
