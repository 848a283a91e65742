import ArgumentParser
import Documents
import Models
import Pipeline
import Rules

struct TriageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "triage",
        abstract: "Plan what the rules do with the inbox, show the plan, and apply it if you agree.",
        discussion: "Works on the mail of the last sync (opus sync). opus run does both.")

    @OptionGroup var global: GlobalOptions

    @Flag(name: .long, help: "Show the plan, and change nothing.")
    var dryRun = false

    @Option(
        name: .long,
        help: ArgumentHelp("Save the plan to a file for opus apply, and change nothing.", valueName: "file"))
    var out: String?

    @Flag(name: [.long, .customShort("y")], help: "Apply without asking.")
    var yes = false

    @Flag(
        name: [.long, .customShort("p")],
        help: "Ask about each message of the plan: y yes, s skip, e other action, A all of this rule, q stop."
    )
    var oneByOne = false

    @Flag(
        name: .long, help: "With --dry-run: exit with 2 when the plan has changes, with 0 when it has none.")
    var detailedExitcode = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Change at most this many messages, newest first; none removes the limit.", valueName: "number"))
    var max: ListLimit?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Apply only if the plan has this id; confirms a plan that a brake holds.", valueName: "id"))
    var plan: [String] = []

    @Option(
        name: .customLong("query"),
        help: ArgumentHelp(
            "Triage matching old mail in all mailboxes, not the inbox. Shows the plan; --yes applies it. Sends nothing.",
            valueName: "query"))
    var history: String?

    @Option(name: .long, help: ArgumentHelp("Apply only what this rule decides.", valueName: "id"))
    var rule: String?

    @Flag(
        name: .long,
        help: "Include messages that rules acted on before, even if you undid the change.")
    var again = false

    @Flag(
        name: .long,
        help:
            "The first day: offer to archive old mail, then triage, with tasks and drafts of recent mail only."
    )
    var first = false

    @Argument(help: "Only inbox messages that match this query.")
    var query: [String] = []

    func validate() throws {
        if oneByOne, yes || dryRun || out != nil || global.json {
            throw ValidationError("--one-by-one asks: use it without --yes, --dry-run, --out and --json.")
        }
        try TriageLimit.check(max)
        if history != nil, out != nil {
            throw ValidationError("Use either --query or --out: a plan for old mail cannot be saved.")
        }
        if rule != nil, out != nil {
            throw ValidationError("Use either --rule or --out: such a plan cannot be saved.")
        }
        if first, out != nil || history != nil || rule != nil || again || !query.isEmpty {
            throw ValidationError("Use --first alone, or with --dry-run, --yes, --max or --plan.")
        }
        if again, out != nil {
            throw ValidationError("Use either --again or --out: such a plan cannot be saved.")
        }
        if history != nil, !query.isEmpty {
            throw ValidationError(
                "Use the query once: after --query for old mail, as the argument for the inbox.")
        }
    }

    private func options() throws -> SessionOptions {
        var options = try global.sessionOptions()
        if first { options.firstRunDays = FirstDay.usualDays }
        return options
    }

    func run() async throws {
        let isDryRun = dryRun || (history != nil && !yes && !oneByOne)
        let console = isDryRun ? global.listConsole() : global.console()
        let changes = !isDryRun && out == nil
        guard !changes || yes || console.canAsk else {
            try global.requireWorkspace()
            throw needsYes
        }
        let limit = TriageLimit(max)
        try await Session.with(try options(), changes ? .changing : .reading) { session in
            let library = try session.rules.library()
            library.warnIfEmpty(session, console)
            let output = PlanOutput(session: session, console: console)
            let (history, isOneByOne) = (history, oneByOne)
            let walk = oneByOne ? PlanWalkOutput(session: session, console: console) : nil
            let flow = try TriageFlow(
                session, library, try options(limit, library.rules),
                ask: TerminalAsk(console: console, walk: walk)
            ) { try output.show($0, history: history, isOneByOne: isOneByOne) }
            if first, !isDryRun { return try await firstDay(session, flow, output) }
            var plans = try flow.plans()
            if first {
                let offers = try session.firstDay.offers(account: global.account)
                if !console.isJSON { for offer in offers { FirstDayOutput(console: console).show(offer) } }
                // The backlog is in the archive when the rules have their turn.
                let archived = try offers.filter { !$0.backlog.isEmpty }.flatMap { offer in
                    try session.firstDay.plan(for: offer).items.filter { !$0.isUntouched }.map(\.message)
                }
                let backlog = Set(archived)
                for index in plans.indices { plans[index].items.removeAll { backlog.contains($0.message) } }
            }
            if let out { return try save(plans, to: out, output, library.rules) }
            if isDryRun { return try show(plans, output, library.rules) }
            let reports = try await flow.apply(plans)
            if console.isJSON { try console.print(json: RunDocument(reports)) }
            let outcome = reports.reduce(ExitStatus.done) { $0.worse($1.exit) }
            if outcome != .done { throw Outcome(status: outcome) }
        }
    }

    private func firstDay(_ session: Session, _ triage: TriageFlow, _ output: PlanOutput) async throws {
        let console = output.console
        let flow = FirstDayFlow(
            session, triage, account: global.account, appliesAll: yes, ask: TerminalAsk(console: console)
        ) { event in
            guard !console.isJSON else { return }
            switch event {
            case .offered(let offer): FirstDayOutput(console: console).show(offer)
            case .skipped(let messages): output.show(messages)
            case .archived(let report): RunOutput(session: session, console: console).show(report)
            }
        }
        let reports = try await flow.run()
        if console.isJSON { try console.print(json: RunDocument(reports)) }
        let outcome = reports.reduce(ExitStatus.done) { $0.worse($1.exit) }
        if outcome != .done { throw Outcome(status: outcome) }
    }

    private func options(_ limit: TriageLimit, _ rules: RuleSet) throws -> TriageFlow.Options {
        var options = TriageFlow.Options()
        options.account = global.account
        options.query = try QueryText.parse(query, rules: rules)
        options.history = try history.map { text in
            guard let query = try QueryText.parse([text], rules: rules) else {
                throw Problem(
                    "no-query", exit: .usage, message: "the query for old mail is empty",
                    next: ["opus triage --query newer:90d"])
            }
            return query
        }
        options.rule = rule
        options.limit = limit
        options.isAgain = again
        options.confirmed = plan
        options.appliesAll = yes
        options.isOneByOne = oneByOne
        options.command =
            (["opus triage --yes"] + (first ? ["--first"] : []) + (again ? ["--again"] : [])
            + (max.map { ["--max", $0.defaultValueDescription] } ?? [])
            + (rule.map { ["--rule", Self.quoted($0)] } ?? [])
            + (history.map { ["--query", Self.quoted($0)] } ?? []) + query.map(Self.quoted))
            .joined(separator: " ")
        return options
    }

    private func show(_ plans: [Plan], _ output: PlanOutput, _ rules: RuleSet) throws {
        if output.console.isJSON {
            try output.console.print(json: PlanDocument(try only(plans), at: output.session.now))
        } else {
            for plan in plans { try output.show(plan, rules, isDryRun: true, history: history) }
        }
        if detailedExitcode, plans.contains(where: { PlanTotals($0).hasChanges }) {
            throw Outcome(status: .changes)
        }
    }

    static func quoted(_ word: String) -> String {
        word.contains { !($0.isLetter || $0.isNumber || ":.@-_/+=".contains($0)) } ? "'\(word)'" : word
    }

    /// A plan document holds one account's plan.
    private func only(_ plans: [Plan]) throws -> Plan {
        guard plans.count == 1, let plan = plans.first else {
            throw Problem(
                "one-account", exit: .usage, message: "a plan document holds one account's plan",
                next: ["add --account NAME"])
        }
        return plan
    }

    private func save(_ plans: [Plan], to path: String, _ output: PlanOutput, _ rules: RuleSet) throws {
        let plan = try only(plans)
        try PlanDocument(plan, at: output.session.now).write(to: path)
        if !output.console.isJSON { try output.show(plan, rules, isDryRun: false) }
        output.console.note("Saved \(plan.name) to \(path).      next: opus apply \(path)")
    }

    private var needsYes: Problem {
        Problem.needsYes(
            next: first
                ? ["opus triage --first --dry-run", "opus triage --first --yes"]
                : ["opus triage --yes", "opus triage --dry-run", "opus triage --out PLAN"])
    }
}
