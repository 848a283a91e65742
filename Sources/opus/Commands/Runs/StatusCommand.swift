import ArgumentParser
import Documents
import Models
import Pipeline

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract:
            "Show waiting steps and why they wait, what needs your decision, and when each account was last synced.",
        discussion: "Works offline and changes nothing.")

    @OptionGroup var global: GlobalOptions

    func run() throws {
        let console = global.console()
        let session = try Session.open(try global.sessionOptions(), .reading)
        defer { session.close() }
        let accounts = try session.journal.statuses(named: global.account)
        let eventFiles = (try? session.tasks.files().eventFiles) ?? 0
        if console.isJSON {
            return try console.print(
                json: StatusDocument(accounts, eventFiles: eventFiles, zone: session.zone))
        }
        let when = When(zone: session.zone, now: session.now)
        for status in accounts where status.account != .tasks {
            let sync = status.lastSync.map {
                console.isTerminal ? when.moment($0) : session.zone.rfc3339($0)
            }
            let rest = status.isClear ? "; nothing is waiting" : ""
            console.note("\(status.account): last sync \(sync ?? "never")\(rest)")
        }
        EventFiles.note(eventFiles, console)
        let entries = accounts.flatMap { $0.needsWord + $0.waiting + $0.refused }
        guard !entries.isEmpty else { return }
        let ids = try session.messages.shortIDs(entries.compactMap(\.step.message))
        var table = Table([
            .init(title: "STATE"), .init(title: "RUN"), .init(title: "ID"), .init(title: "AGAIN"),
            .init(title: "STEP", isFlexible: true), .init(title: "REASON", isFlexible: true),
        ])
        for entry in entries {
            let step = entry.step
            let again = step.dueAt.map { console.isTerminal ? when.moment($0) : session.zone.rfc3339($0) }
            table.add([
                StepWord.state(step.state), entry.run.description, step.message.flatMap { ids[$0] } ?? "-",
                again ?? (step.state == .ready ? "next run" : "-"), StepWord.of(step.kind),
                TerminalText.line(step.reason ?? ""),
            ])
        }
        console.print(table)
        for status in accounts where !status.interrupted.isEmpty {
            let runs = status.interrupted.map(\.description).joined(separator: ", ")
            console.note(
                "\(status.account): \(runs) \(status.interrupted.count == 1 ? "was" : "were") interrupted; opus run asks whether to finish, opus undo reverses"
            )
        }
    }
}
