import ArgumentParser
import Documents
import Models
import Pipeline

struct TaskConflicts: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conflicts",
        abstract: "Show and settle fields of a task that opus and another program changed differently.",
        discussion: """
            The task file keeps the other program's value; the value of opus is stored and shown here. --ours ID writes \
            it to the file, --theirs ID drops it; both may be repeated.
            """)

    @OptionGroup var global: GlobalOptions

    @Option(name: .long, help: ArgumentHelp("Write the value of opus to the file.", valueName: "id"))
    var ours: [String] = []

    @Option(
        name: .long, help: ArgumentHelp("Keep the file as it is: drop the value of opus.", valueName: "id"))
    var theirs: [String] = []

    func run() throws {
        let console = global.console()
        let isChanging = !ours.isEmpty || !theirs.isEmpty
        let session = try Session.open(try global.sessionOptions(), isChanging ? .changing : .reading)
        defer { session.close() }
        let conflicts = try session.tasks.conflicts()
        // Finds every task before it writes anything.
        let chosen =
            try ours.map { (try session.tasks.conflict($0, among: conflicts), true) }
            + theirs.map { (try session.tasks.conflict($0, among: conflicts), false) }
        for (conflict, isOurs) in chosen { try session.taskChanges.settle(conflict, ours: isOurs) }
        try show(isChanging ? try session.tasks.conflicts() : conflicts, session, console)
    }

    private func show(_ conflicts: [TaskConflict], _ session: Session, _ console: Console) throws {
        if console.isJSON {
            return try console.print(json: TaskConflictsDocument(conflicts, session))
        }
        var table = Table([
            .init(title: "ID"), .init(title: "TASK", isFlexible: true), .init(title: "WHAT"),
            .init(title: "IN THE FILE", isFlexible: true), .init(title: "KEPT ASIDE", isFlexible: true),
        ])
        for conflict in conflicts {
            table.add([
                String(conflict.id.prefix(6)), TerminalText.line(conflict.summary),
                conflict.field ?? "file is gone",
                TerminalText.line(conflict.theirs ?? ""), TerminalText.line(conflict.ours ?? ""),
            ])
        }
        console.print(table)
        if conflicts.isEmpty { return console.note("No conflicts.") }
        console.note("next: opus task conflicts --ours ID | --theirs ID")
    }
}
