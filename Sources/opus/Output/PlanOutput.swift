import Documents
import Models
import Pipeline
import Rules

/// Shows a plan.
struct PlanOutput {
    let session: Session
    let console: Console

    /// `history`: the query, for a plan for old mail; nil: a plan for the inbox. `next`: the command that applies the
    /// plan.
    func show(
        _ plan: Plan, _ rules: RuleSet, isDryRun: Bool, history: String? = nil, next: String = "opus triage"
    ) throws {
        let ids = try session.messages.shortIDs(plan.items.map(\.message))
        let when = When(zone: session.zone, now: session.now)
        let labels = session.bundling.labels
        let text = PlanText(
            plan: plan, ids: ids, when: when, style: console.style, width: console.width, labels: labels)
        let totals = PlanTotals(plan)
        guard console.isTerminal else {
            console.print(lines: plan.shown(labels: labels).map { machine($0, ids) })
            for warning in PlanWarnings.lines(of: plan) {
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
                ?? "next: \(next)            asks, then applies it")
    }

    /// Shows an event while opus applies plans.
    func show(_ event: TriageEvent, history: String? = nil, isOneByOne: Bool = false) throws {
        switch event {
        case .planned(let plan, _) where isOneByOne:
            console.print(console.style.bold(PlanTotals(plan).sentence))
        case .planned(let plan, let rules):
            if !console.isJSON { try show(plan, rules, isDryRun: false, history: history) }
        case .declined: console.note("Nothing was changed.")
        case .leftUndecided(let count, of: _): show(leftUndecided: count, next: "opus triage")
        case .skipped(let messages): show(messages)
        case .applied(let report, of: let plan):
            guard !console.isJSON, PlanTotals(plan).hasChanges || !report.didNothing else { return }
            RunOutput(session: session, console: console).show(report)
        }
    }

    /// Reports items that the user skipped or did not reach.
    func show(leftUndecided count: Int, next: String) {
        console.print(
            "\(counted(count, "message was", "messages were")) not decided: nothing was done with "
                + "\(count == 1 ? "it" : "them").")
        console.note("next: \(next)")
    }

    /// Reports messages that changed since the plan was shown.
    func show(_ skipped: [SavedPlanOutcome.Skipped]) {
        for message in skipped {
            console.warn(
                console.style.yellow("skipped ") + message.id + "  " + TerminalText.line(message.subject)
                    + ": " + TerminalText.line(message.reason))
        }
    }

    private func machine(_ entry: PlanEntry, _ ids: [EmailID: String]) -> String {
        switch entry {
        case .message(let item):
            row(item, ids[item.message] ?? item.message.rawValue, item.from?.addrSpec ?? "", item.subject)
        case .bundle(let names, let items):
            items.first.map { row($0, "-", names.bundle.name, names.counts) } ?? ""
        }
    }

    private func row(_ item: Plan.Item, _ id: String, _ from: String, _ subject: String) -> String {
        let actions = item.decisions.map { "\($0.rule):\($0.action.word)" }.joined(separator: ",")
        return [id, TerminalText.line(from), TerminalText.line(subject), TerminalText.line(actions)]
            .joined(separator: "\t")
    }
}

/// The warnings of a plan on the screen.
enum PlanWarnings {
    /// Equal warnings of several messages are one line with their number.
    static func lines(of plan: Plan) -> [String] {
        var counts: [String: Int] = [:]
        var order: [String] = []
        for warning in plan.items.flatMap(\.warnings) {
            if counts[warning] == nil { order.append(warning) }
            counts[warning, default: 0] += 1
        }
        let ofMessages = order.map { warning in
            let count = counts[warning] ?? 1
            return count == 1 ? warning : "\(warning) (\(counted(count, "message")))"
        }
        return ofMessages + plan.warnings
    }
}

/// A plan by hand on the screen.
struct HandPlanOutput {
    let session: Session
    let console: Console

    /// What `--dry-run` prints of the plans of one command. `isNamed`: the command takes the id of a plan.
    func preview(_ plans: [Plan], isNamed: Bool = true) throws {
        if console.isJSON {
            guard plans.count == 1, let plan = plans.first else {
                throw Problem(
                    "one-account", exit: .usage, message: "a plan document holds one account's plan",
                    next: ["add --account NAME"])
            }
            return try console.print(json: PlanDocument(plan, at: session.now))
        }
        for plan in plans { try show(plan, isNamed: isNamed) }
    }

    private func show(_ plan: Plan, isNamed: Bool) throws {
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
        console.print(console.style.bold(PlanTotals(shown).sentence) + (isNamed ? " " + plan.name : ""))
    }
}
