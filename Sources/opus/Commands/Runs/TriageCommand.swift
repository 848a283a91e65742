import ArgumentParser
import Documents
import Models
import Pipeline
import Rules

struct TriageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "triage", abstract: "Plan what the rules do with the inbox, show it, ask, apply it.",
        discussion: "Works on what the last sync brought (opus sync). opus run does both.")

    @OptionGroup var global: GlobalOptions

    @Flag(name: .long, help: "Show the plan and stop.")
    var dryRun = false

    @Option(
        name: .long,
        help: ArgumentHelp("Save the plan to a file for opus apply, and stop.", valueName: "file"))
    var out: String?

    @Flag(name: [.long, .customShort("y")], help: "Apply without asking.")
    var yes = false

    @Flag(name: .long, help: "With --dry-run: exit 2 when the plan has changes, 0 when it has none.")
    var detailedExitcode = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Touch at most so many messages, the newest first; none lifts the limit.", valueName: "number"))
    var max: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Apply only if the plan has this id; needed where a brake holds it.", valueName: "id"))
    var plan: [String] = []

    @Option(
        name: .customLong("query"),
        help: ArgumentHelp(
            "Old mail in every mailbox that matches, not the inbox: the plan alone, unless --yes is given. Nothing is sent.",
            valueName: "query"))
    var history: String?

    @Flag(
        name: .long,
        help: "Judge again what rules acted on before, and what was taken back.")
    var again = false

    @Argument(help: "Only the inbox messages that match.")
    var query: [String] = []

    func validate() throws {
        if history != nil, out != nil {
            throw ValidationError("A plan over old mail cannot be saved: give --query or --out.")
        }
        if again, out != nil {
            throw ValidationError("A plan that judges messages again cannot be saved: give --again or --out.")
        }
        if history != nil, !query.isEmpty {
            throw ValidationError("Give the query once: behind --query for old mail, alone for the inbox.")
        }
    }

    func run() async throws {
        let console = global.console()
        let dryRun = dryRun || (history != nil && !yes)
        let changes = !dryRun && out == nil
        guard !changes || yes || console.canAsk else { throw needsYes }
        try await Session.with(try global.sessionOptions(), changes ? .changing : .reading) { session in
            let library = try session.rules.library()
            library.warnIfEmpty(session, console)
            let query = try QueryText.parse(query, rules: library.rules)
            let limit = try TriageLimit.read(max, session)
            var outcome = ExitStatus.done
            var plans: [(AccountID, Plan)] = []
            var reports: [RunReport] = []
            var allowance = try session.rules.sendAllowance()
            for account in try session.accounts.ids(named: global.account) {
                plans.append((account, try plan(account, session, library, query, limit, &allowance)))
            }
            if let out { return try save(plans, to: out, session, console, library) }
            let brakes = changes ? try brakes(on: plans, session, console) : [:]
            for (account, plan) in plans {
                let totals = PlanTotals(plan)
                if console.isJSON {
                    if dryRun { try console.print(json: PlanDocument(try only(plans), at: session.now)) }
                } else {
                    try PlanOutput(session: session, console: console).show(
                        plan, library, isDryRun: dryRun, history: history)
                }
                if dryRun {
                    if totals.hasChanges, detailedExitcode { outcome = .changes }
                    continue
                }
                var agreed = plan
                if totals.hasChanges, brakes[account] != nil || !yes {
                    if let held = brakes[account] {
                        try BrakeQuestion(session: session, console: console).ask(plan, held)
                    } else if !console.ask("Apply this plan to \(account)?") {
                        console.note("Nothing was changed.")
                        continue
                    }
                    agreed = try await AgreedPlan(session: session, console: console).look(
                        at: plan, isHistory: history != nil, isAgain: again)
                }
                let report = try await session.triage.apply(agreed, command: "triage", isAgain: again)
                if query == nil, history == nil {
                    try session.triage.noteTimers(after: plan, library, limit: limit)
                }
                reports.append(report)
                if !console.isJSON, totals.hasChanges || !report.didNothing {
                    RunOutput(session: session, console: console).show(report)
                }
                outcome = outcome.worse(report.exit)
            }
            if console.isJSON, !dryRun { try console.print(json: RunDocument(reports)) }
            if outcome != .done { throw Outcome(status: outcome) }
        }
    }

    private func plan(
        _ account: AccountID, _ session: Session, _ library: RuleLibrary, _ query: Query?, _ limit: Int?,
        _ allowance: inout SendAllowance
    ) throws -> Plan {
        guard let history else {
            return try session.triage.plan(
                for: account, rules: library, matching: query, limit: limit, sending: &allowance,
                isAgain: again)
        }
        guard let old = try QueryText.parse([history], rules: library.rules) else {
            throw Problem(
                "no-query", exit: .usage, message: "which old mail?", next: ["opus triage --query newer:90d"])
        }
        return try session.triage.plan(
            forHistory: old, account: account, rules: library, limit: max == nil ? nil : limit, isAgain: again
        )
    }

    /// What the brakes hold, by account. Where nobody can be asked, the first of them ends the command before any plan is
    /// applied.
    private func brakes(
        on plans: [(AccountID, Plan)], _ session: Session, _ console: Console
    ) throws -> [AccountID: Problem] {
        var held: [AccountID: Problem] = [:]
        let command =
            (["opus triage --yes"] + (again ? ["--again"] : []) + (max.map { ["--max", $0] } ?? [])
            + (history.map { ["--query", Self.quoted($0)] } ?? []) + query.map(Self.quoted))
            .joined(separator: " ")
        for (account, plan) in plans where PlanTotals(plan).hasChanges {
            guard let problem = try session.brakes.problem(with: plan, said: self.plan, command: command)
            else {
                continue
            }
            guard console.canAsk, !console.isJSON else { throw problem }
            held[account] = problem
        }
        return held
    }

    static func quoted(_ word: String) -> String {
        word.contains { !($0.isLetter || $0.isNumber || ":.@-_/+=".contains($0)) } ? "'\(word)'" : word
    }

    /// A plan document holds one account's plan.
    private func only(_ plans: [(AccountID, Plan)]) throws -> Plan {
        guard plans.count == 1, let (_, plan) = plans.first else {
            throw Problem(
                "one-account", exit: .usage, message: "a plan document holds one account's plan",
                next: ["add --account NAME"])
        }
        return plan
    }

    private func save(
        _ plans: [(AccountID, Plan)], to path: String, _ session: Session, _ console: Console,
        _ library: RuleLibrary
    ) throws {
        let plan = try only(plans)
        try session.triage.save(plan, to: path)
        if !console.isJSON {
            try PlanOutput(session: session, console: console).show(plan, library, isDryRun: false)
        }
        console.note("Saved \(session.triage.name(of: plan)) to \(path).      next: opus apply \(path)")
    }

    private var needsYes: Problem {
        Problem(
            "needs-yes", exit: .usage, message: "there is no terminal to ask on, and --yes was not given",
            next: ["opus triage --yes", "opus triage --dry-run", "opus triage --out PLAN"])
    }
}

struct ApplyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply",
        abstract: "Apply a plan that opus triage --out saved; it was reviewed, so nothing is asked.")

    @OptionGroup var global: GlobalOptions

    @Flag(name: .long, help: "Also apply a plan that is older than a day.")
    var old = false

    @Argument(help: "The plan file.", completion: .file())
    var plan: String

    func run() async throws {
        let console = global.console()
        try await Session.with(try global.sessionOptions(), .changing) { session in
            let outcome = try await session.triage.applySaved(plan, allowOld: old)
            try RunOutput(session: session, console: console).show([outcome.report])
            for line in outcome.notSent { console.warn(console.style.yellow("! ") + TerminalText.line(line)) }
            AgreedPlan(session: session, console: console).show(outcome.skipped)
            if outcome.report.exit != .done { throw Outcome(status: outcome.report.exit) }
            if !outcome.skipped.isEmpty { throw Outcome(status: .stalePlan) }
        }
    }
}

/// A plan between the answer and its steps: time has passed since it was shown.
struct AgreedPlan {
    let session: Session
    let console: Console

    /// What of it still holds; what is left out is named.
    func look(at plan: Plan, isHistory: Bool = false, isAgain: Bool = false) async throws -> Plan {
        let (checked, leftOut) = try await session.triage.rechecked(
            plan, isHistory: isHistory, isAgain: isAgain)
        show(leftOut)
        return checked
    }

    func show(_ leftOut: [SavedPlanOutcome.Skipped]) {
        for skipped in leftOut {
            console.warn(
                console.style.yellow("skipped ") + skipped.id + "  " + TerminalText.line(skipped.subject)
                    + ": " + TerminalText.line(skipped.reason))
        }
    }
}

/// A plan on the screen.
struct PlanOutput {
    let session: Session
    let console: Console

    /// `history`: the query for old mail that the plan is about; nil: it is about the inbox.
    func show(_ plan: Plan, _ library: RuleLibrary, isDryRun: Bool, history: String? = nil) throws {
        let rules = library.rules
        let ids = try session.messages.shortIDs(plan.items.map(\.message))
        let when = When(zone: session.zone, now: session.now)
        let text = PlanText(plan: plan, ids: ids, when: when, style: console.style, width: console.width)
        let totals = PlanTotals(plan)
        guard console.isTerminal else {
            console.print(lines: plan.items.lazy.map { machine($0, ids) })
            for warning in plan.items.flatMap(\.warnings) + plan.warnings {
                console.note("Warning: " + TerminalText.line(warning))
            }
            console.note(totals.sentence)
            return
        }
        console.print(
            "Plan for \(counted(plan.items.count, "message")) in \(plan.account)\(history == nil ? "/INBOX" : "") "
                + "(rules: \(counted(rules.fileCount, "file")), \(counted(rules.ruleCount, "rule")), checked, "
                + "\(counted(rules.testCount, "test passes", "tests pass")))")
        console.print("")
        console.print(lines: text.lines())
        console.print("")
        console.print(console.style.bold(totals.sentence))
        for warning in plan.warnings {
            console.print(console.style.yellow("Warning: ") + TerminalText.line(warning))
        }
        guard isDryRun, totals.hasChanges else { return }
        console.note(
            history.map { "next: opus triage --yes --query \(TerminalText.line(TriageCommand.quoted($0)))" }
                ?? "next: opus triage            apply with a question")
    }

    private func machine(_ item: Plan.Item, _ ids: [EmailID: String]) -> String {
        let actions = item.decisions.map { "\($0.rule):\($0.action.word)" }.joined(separator: ",")
        return [
            ids[item.message] ?? item.message.rawValue, TerminalText.line(item.from?.addrSpec ?? ""),
            TerminalText.line(item.subject), TerminalText.line(actions),
        ].joined(separator: "\t")
    }
}

/// What a run did, on the screen or as `opus.run/1`.
struct RunOutput {
    let session: Session
    let console: Console

    func show(_ reports: [RunReport]) throws {
        if console.isJSON { return try console.print(json: RunDocument(reports)) }
        for report in reports { show(report) }
    }

    func show(_ report: RunReport) {
        let drain = report.drain
        guard !report.didNothing else { return console.print("Nothing to do.") }
        for notice in report.notices { console.print(console.style.yellow("! ") + TerminalText.line(notice)) }
        let total = drain.confirmed.count + drain.failures.count
        guard total > 0 || drain.interruption != nil || !drain.later.isEmpty else { return }
        let run = report.run.map { " (run \($0))" } ?? ""
        let already = drain.alreadySo > 0 ? "; \(counted(drain.alreadySo, "was", "were")) so already" : ""
        console.print("Applied \(drain.confirmed.count) of \(total) steps\(run)\(already)")
        for line in StepSummary(drain.done).lines { console.print("  " + line) }
        if drain.tasksFound > 0 {
            console.print("  \(drain.tasksFound) × task was there already")
        }
        let isUntried = drain.halt == .offline || drain.halt == .loginRefused
        showFailures(isUntried ? drain.rejected + drain.undecided : drain.failures)
        showHalt(drain)
        if !drain.later.isEmpty {
            console.print("  \(drain.later.count) wait for their time or a word (opus status)")
        }
    }

    private static let mostFailures = 20

    /// What befell a thousand messages alike is one line.
    private func showFailures(_ steps: [Step]) {
        var counts: [String: Int] = [:]
        var lines: [String] = []
        for step in steps {
            let line =
                console.style.red("  \(StepWord.state(step.state)) ") + StepWord.of(step.kind) + ": "
                + TerminalText.line(step.reason ?? "waits for an earlier step of its message")
            if counts[line] == nil { lines.append(line) }
            counts[line, default: 0] += 1
        }
        for line in lines.prefix(Self.mostFailures) {
            let count = counts[line] ?? 1
            console.print(line + (count > 1 ? "   (\(count) times)" : ""))
        }
        if lines.count > Self.mostFailures {
            console.print("  and \(counted(lines.count - Self.mostFailures, "other")) (opus status)")
        }
    }

    /// Why the rest waits, and until what.
    private func showHalt(_ drain: DrainReport) {
        guard let reason = drain.interruption.map({ TerminalText.line($0) }) else { return }
        switch drain.halt {
        case .offline:
            console.print(
                console.style.yellow("  offline: ") + reason
                    + " — what is left waits for the next run (opus status)")
        case .loginRefused:
            console.print(
                console.style.red("  login refused: ") + reason
                    + " — nothing more is tried before that is mended")
        case .lost, nil:
            console.print(
                console.style.yellow("  interrupted: ") + reason
                    + " — what is left is tried again by the next run")
        }
    }
}
