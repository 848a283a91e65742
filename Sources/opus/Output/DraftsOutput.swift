import Models
import Pipeline

/// Drafts on the screen.
struct DraftsOutput {
    let session: Session
    let console: Console

    func show(_ lines: [DraftLine]) {
        let when = When(zone: session.zone, now: session.now)
        var table = Table([
            .init(title: "ID"), .init(title: "AGE"), .init(title: "ACCOUNT"), .init(title: "STATE"),
            .init(title: "TO", isFlexible: true), .init(title: "SUBJECT", isFlexible: true),
        ])
        for line in lines {
            table.add([
                line.id, console.isTerminal ? when.age(line.savedAt) : session.zone.rfc3339(line.savedAt),
                line.account.rawValue,
                line.state.rawValue + (line.wait.map { ", then waits: " + TerminalText.line($0) } ?? ""),
                TerminalText.line(line.to.map(\.addrSpec).joined(separator: ", ")),
                TerminalText.line(line.subject),
            ])
        }
        console.print(table)
        if lines.isEmpty { console.note("No drafts.") }
    }
}
