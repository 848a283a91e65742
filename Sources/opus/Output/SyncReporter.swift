import Models
import Pipeline

/// Runs a sync with a progress line, and prints the result.
struct SyncReporter {
    let console: Console

    func run(_ session: Session, _ account: AccountID) async throws -> SyncReport {
        defer { console.endProgress() }
        return try await session.sync.account(account) { show($0) }
    }

    func show(_ progress: SyncProgress) {
        console.progress(
            "Syncing \(progress.account) \(TerminalText.line(progress.mailbox)) \(progress.done)/\(progress.total)"
        )
    }

    func show(_ report: SyncReport) {
        showChanges(report)
        showProblems(report)
    }

    func showProblems(_ report: SyncReport) {
        for problem in report.problems {
            console.warn(console.style.yellow("! ") + TerminalText.line(problem))
        }
    }

    private func showChanges(_ report: SyncReport) {
        let words = summary(report)
        if console.isTerminal {
            if !console.isQuiet { console.print("Synced \(report.account): \(words)") }
        } else {
            for mailbox in report.mailboxes where !mailbox.isQuiet {
                console.print(
                    [
                        report.account.rawValue, TerminalText.line(mailbox.mailbox.displayName),
                        "\(mailbox.added)",
                        "\(mailbox.flagsChanged)", "\(mailbox.removed)",
                    ].joined(separator: "\t"))
            }
        }
        for notice in report.notices { console.note("· " + TerminalText.line(notice)) }
    }

    func summary(_ report: SyncReport) -> String {
        var parts: [String] = []
        if report.added > 0 { parts.append("\(report.added) new") }
        if report.changed > 0 { parts.append("\(report.changed) changed") }
        if report.removed > 0 { parts.append("\(report.removed) gone") }
        if report.rebound > 0 { parts.append("\(report.rebound) renumbered by the server") }
        return parts.isEmpty ? "nothing new" : parts.joined(separator: ", ")
    }
}
