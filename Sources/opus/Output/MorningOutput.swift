import Documents
import Models
import Pipeline

/// Shows a run of `opus run`: its events, and the result.
struct MorningOutput: Sendable {
    let session: Session
    let console: Console
    /// Whether opus applies plans without asking.
    let appliesAll: Bool
    let isDryRun: Bool
    /// Whether each item of a plan is shown with its own question.
    var isOneByOne = false

    private var when: When { When(zone: session.zone, now: session.now) }

    func show(_ event: MorningEvent) throws {
        switch event {
        case .failed(let problem):
            console.endProgress()
            return console.report(problem)
        case .brokenRules(let failure as DiagnosticFailure):
            console.endProgress()
            return console.report(failure, result: "nothing was triaged")
        case .brokenRules(let failure as FailingRuleTests):
            console.endProgress()
            return console.report(failure)
        case _: break
        }
        guard !console.isJSON else { return }
        switch event {
        case .noRules(let words): warning(words)
        case .syncing(let progress): SyncReporter(console: console).show(progress)
        case .synced(let report): show(report)
        case .interrupted(let runs): show(runs)
        case .leftInterrupted(let runs):
            let undo = names(runs).map { "opus undo \($0)" }.joined(separator: "      or  ")
            console.note("Left as it is.      next: \(undo)      to undo it")
        case .finished(let report):
            if !report.didNothing { RunOutput(session: session, console: console).show(report) }
        case .followed(let report): show(report)
        case .ordered(let report): show(report)
        case .screened(let screened): show(screened)
        case .bundled(let report): show(report, part: "Bundles")
        case .wouldScreen(let preview):
            for line in ScreenerText.lines(preview.mails, isPreview: true) { console.print(line) }
        case .wouldBundle(let bundle): show(bundle)
        case .nothingPlanned(let plan):
            for line in PlanWarnings.lines(of: plan) { warning(line) }
        case .previewed(let plan, let rules):
            try PlanOutput(session: session, console: console).show(
                plan, rules, isDryRun: true, next: "opus run")
        case .triage(let event): try show(event)
        case .failed, .brokenRules: break
        }
    }

    private func warning(_ words: String) {
        console.note(console.style.yellow("! ") + TerminalText.line(words))
    }

    private func show(_ report: SyncReport) {
        console.endProgress()
        let reporter = SyncReporter(console: console)
        if console.isQuiet { reporter.showProblems(report) } else { reporter.show(report) }
    }

    /// Several parts of one run have one name.
    private func names(_ runs: [InterruptedLine]) -> [String] {
        var seen: Set<RunID> = []
        return runs.map(\.run.id).filter { seen.insert($0).inserted }.map(\.description)
    }

    private func show(_ runs: [InterruptedLine]) {
        let names = names(runs)
        let steps = runs.flatMap(\.steps)
        console.print(
            "\(names.joined(separator: ", ")) \(names.count == 1 ? "was" : "were") interrupted; \(counted(steps.count, "step is", "steps are")) left:"
        )
        for line in StepSummary.counted(steps.map { "× " + StepWord.of($0.kind, when) }) {
            console.print("  " + line)
        }
    }

    private func show(_ screened: Screened) {
        if !console.isQuiet {
            for line in ScreenerText.lines(screened.mails, isPreview: false) { console.print(line) }
        }
        show(screened.report, part: "Screener")
    }

    private func show(_ report: OrderReport) {
        for line in OrderText.lines(report, isPreview: isDryRun) where !console.isQuiet || line.isFailure {
            line.isFailure ? console.warn(console.style.yellow("! ") + line.text) : console.print(line.text)
        }
        for run in report.runs { show(run.withoutOrders) }
    }

    private func show(_ report: FollowReport) {
        if isDryRun { return preview(report) }
        let lines = console.isQuiet ? report.held : report.lines + report.held
        for line in lines { console.print(TerminalText.line(line)) }
        if !console.isQuiet {
            for line in ReturnedText.lines(report.returned) { console.print("back in the inbox: " + line) }
        }
        for line in report.malformed { console.warn(console.style.yellow("! ") + TerminalText.line(line)) }
        for run in report.runs where !run.didNothing { show(run) }
    }

    /// Nothing of it happened.
    private func preview(_ report: FollowReport) {
        for line in report.lines { console.print("would follow: " + TerminalText.line(line)) }
        for line in ReturnedText.lines(report.returned) { console.print("would come back: " + line) }
        for line in report.malformed { console.warn(console.style.yellow("! ") + TerminalText.line(line)) }
    }

    /// Shown below each plan.
    private func show(_ bundle: BundlePreview) {
        guard isDryRun || showsPlans else { return }
        let until = bundle.until.time.map(when.moment) ?? bundle.until.word
        console.print(
            "\(isDryRun ? "would" : "will") wait until \(until): " + TerminalText.line(bundle.names.words))
    }

    private var showsPlans: Bool { !console.isQuiet || !appliesAll }

    private func show(_ event: TriageEvent) throws {
        let output = PlanOutput(session: session, console: console)
        switch event {
        case .planned(let plan, let rules):
            if isOneByOne { return console.print(console.style.bold(PlanTotals(plan).sentence)) }
            if showsPlans { try output.show(plan, rules, isDryRun: false) }
        case .declined: console.note("Nothing was changed by the rules.")
        case .leftUndecided(let count, of: _): output.show(leftUndecided: count, next: "opus run")
        case .skipped(let messages): output.show(messages)
        case .applied(let report, of: _): show(report)
        }
    }

    /// With `--quiet` only failures and notices of rules.
    private func show(_ report: RunReport, part: String? = nil) {
        guard !report.didNothing else { return }
        guard console.isQuiet, report.exit == .done, report.drain.failures.isEmpty,
            report.drain.interruption == nil
        else { return RunOutput(session: session, console: console).show(report, part: part) }
        for notice in report.notices { console.print(console.style.yellow("! ") + TerminalText.line(notice)) }
    }

    // MARK: The end

    func show(_ report: MorningReport) throws {
        if console.isJSON { return try console.print(json: MorningDocument(report, at: session.now)) }
        if console.isQuiet {
            let count = report.later.count { $0.state == .planned }
            if count > 0 {
                console.print(
                    "\(counted(count, "step waits", "steps wait")) for your confirmation (opus status)")
            }
        } else if report.isIdle {
            console.print(nothing(report))
        }
    }

    private func nothing(_ report: MorningReport) -> String {
        let later = report.later.count
        let unread = report.malformed.count
        if later > 0 {
            return "Nothing to do now; \(counted(later, "step waits", "steps wait")) (opus status)."
        }
        return unread == 0
            ? "Nothing to do." : "\(counted(unread, "task file")) cannot be read; nothing else to do."
    }
}

/// One line for a deferred message that is back in the inbox, or for the messages of a bundle.
enum ReturnedText {
    static func words(_ mail: ReturnedMail) -> String {
        "m:\(mail.shortID)  \(TerminalText.line(mail.from))  \(TerminalText.line(mail.subject))"
    }

    static func lines(_ mails: [ReturnedMail]) -> [String] {
        let (single, bundles) = BundleNames.grouping(mails)
        return single.map(words) + bundles.map { TerminalText.line($0.words) }
    }
}
