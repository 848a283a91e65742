import Models
import Pipeline

/// Drafts on the screen.
struct DraftsOutput {
    let session: Session
    let console: Console

    func show(_ lines: [DraftLine]) {
        let when = When(zone: session.zone, now: session.now)
        var table = Table(
            (console.isTerminal ? [.init(title: "#", alignsRight: true)] : []) + [
                .init(title: "ID"), .init(title: "AGE"), .init(title: "ACCOUNT"), .init(title: "STATE"),
                .init(title: "TO", isFlexible: true), .init(title: "SUBJECT", isFlexible: true),
            ])
        for (index, line) in lines.enumerated() {
            let number = console.isTerminal ? [index < 999 ? "\(index + 1)" : ""] : []
            table.add(
                number + [
                    line.id, console.isTerminal ? when.age(line.savedAt) : session.zone.rfc3339(line.savedAt),
                    line.account.rawValue,
                    line.state.rawValue + (line.wait.map { ", then waits: " + TerminalText.line($0) } ?? ""),
                    TerminalText.line(line.to.map(\.addrSpec).joined(separator: ", ")),
                    TerminalText.line(line.subject),
                ])
        }
        console.print(table)
        if console.isTerminal { session.drafts.rememberRows(lines) }
        if lines.isEmpty { console.note("No drafts.") }
    }
}
