import Documents
import Models
import Pipeline

/// Prints the result of a run: for people, or as `opus.run/1`.
struct RunOutput {
    let session: Session
    let console: Console

    func show(_ reports: [RunReport]) throws {
        if console.isJSON { return try console.print(json: RunDocument(reports)) }
        for report in reports { show(report) }
    }

    /// `part`: what the steps belong to, if a run has several parts, such as its bundles.
    func show(_ report: RunReport, part: String? = nil) {
        let drain = report.drain
        if let present = report.present {
            let name = TaskName.short(present)
            console.print(
                "The task already exists\(report.isPresentClosed ? " and is closed" : ""): \(name).")
            if report.didNothing { return }
        }
        guard !report.didNothing else { return console.print("Nothing to do.") }
        for notice in report.notices { console.print(console.style.yellow("! ") + TerminalText.line(notice)) }
        let total = drain.confirmed.count + drain.failures.count
        guard total > 0 || drain.interruption != nil || !drain.later.isEmpty else { return }
        let run = report.run.map { " (run \($0))" } ?? ""
        let already =
            drain.alreadyDone > 0 ? "; \(counted(drain.alreadyDone, "was", "were")) already done" : ""
        let applied = part.map { "\($0): applied" } ?? "Applied"
        console.print("\(applied) \(drain.confirmed.count) of \(total) steps\(run)\(already)")
        for line in StepSummary(drain.done).lines { console.print("  " + line) }
        if drain.tasksFound > 0 {
            console.print("  \(drain.tasksFound) × task already existed")
        }
        let isUntried = drain.halt == .offline || drain.halt == .loginRefused
        showFailures(isUntried ? drain.rejected + drain.undecided : drain.failures)
        showHalt(drain)
        if !drain.later.isEmpty {
            console.print("  \(drain.later.count) scheduled or awaiting confirmation (opus status)")
        }
    }

    private static let mostFailures = 20

    /// The same failure of many messages is one line.
    private func showFailures(_ steps: [Step]) {
        let when = When(zone: session.zone, now: session.now)
        var counts: [String: Int] = [:]
        var lines: [String] = []
        for step in steps {
            let line =
                console.style.red("  \(StepWord.state(step.state)) ") + StepWord.of(step.kind, when)
                + ": "
                + TerminalText.line(step.reason ?? "waits for an earlier step of the same message")
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

    /// Why the remaining steps wait, and until when.
    private func showHalt(_ drain: DrainReport) {
        guard let reason = drain.interruption.map({ TerminalText.line($0) }) else { return }
        switch drain.halt {
        case .offline:
            console.print(
                console.style.yellow("  offline: ") + reason
                    + " — the rest waits for the next run (opus status)")
        case .loginRefused:
            console.print(
                console.style.red("  login refused: ") + reason
                    + " — nothing more is tried until this is fixed")
        case .lost, nil:
            console.print(
                console.style.yellow("  interrupted: ") + reason
                    + " — the next run tries the rest again")
        }
    }
}
