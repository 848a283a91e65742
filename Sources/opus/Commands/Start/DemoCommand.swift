import ArgumentParser
import Foundation
import Models
import Pipeline

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Show a week with a sample mailbox, in a temporary folder.",
        discussion: "Does not read or change anything of yours, and sends nothing.")

    @OptionGroup var global: GlobalOptions

    @Flag(name: .long, help: "Keep the folder, to try other commands in it.")
    var keep = false

    func run() async throws {
        guard let share = ShareFolder.locate(program: Self.program, environment: global.environment) else {
            throw Problem(
                "no-demo", exit: .notFound,
                message: "the sample mailbox is not installed next to this program",
                next: ["make install", "OPUS_SHARE=FOLDER opus demo"])
        }
        let root = try Self.temporaryFolder()
        defer { if !keep { try? FileManager.default.removeItem(atPath: root) } }
        let workspace = try DemoWorkspace.make(at: root, mail: share.mail, rules: share.rules)
        var options = try global.sessionOptions()
        options.workspace = root
        try await DemoWeek(
            console: global.console(forPeople: true), options: options, workspace: workspace
        ).tell()
        if keep { global.console().print("\nKept in \(root)      next: opus --workspace \(root) list") }
    }

    private static var program: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            ?? CommandLine.arguments[0]
    }

    private static func temporaryFolder() throws -> String {
        let base = FileManager.default.temporaryDirectory.appending(
            path: "opus-demo-\(UUID().uuidString.lowercased())")
        do {
            try FileManager.default.createDirectory(
                at: base, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        } catch {
            throw Problem(
                "cannot-create", exit: .cannotCreate, message: "cannot make a temporary folder",
                details: [error.localizedDescription], next: ["set TMPDIR to a folder that you may write to"])
        }
        return base.path
    }
}

/// A week on one screen: opus sorts the inbox, a task is completed in its file, an answer arrives, and deferred mail
/// comes back.
private struct DemoWeek {
    let console: Console
    let options: SessionOptions
    let workspace: DemoWorkspace

    private static let account = AccountID("work")
    /// The number of planned changes that the demo shows.
    private static let mostShown = 4

    func tell() async throws {
        try await on(.tuesday) { session in
            try await sort(session)
            try await complete(session)
        }
        try workspace.handOn()
        try await on(.thursday) { try await run("Thursday: Bob has answered", $0) }
        try await on(.saturday) { try await run("Saturday, 10:00: deferred mail is back", $0) }
        try await on(.saturday) { try await run("a second run has nothing to do", $0) }
    }

    private func on(
        _ day: DemoWorkspace.Day, _ work: @escaping @Sendable (Session) async throws -> Void
    ) async throws {
        var options = options
        options.now = day.time
        try await Session.with(options, .changing) { try await work($0) }
    }

    private func sort(_ session: Session) async throws {
        heading("opus run", "Tuesday: the plan, and what was done")
        SyncReporter(console: console).show(try await session.sync.account(Self.account))
        let library = try session.rules.library()
        let plan = try session.triage.plan(for: Self.account, rules: library, limit: nil)
        try show(plan, session)
        RunOutput(session: session, console: console).show(
            try await session.triage.apply(plan, command: "demo"))
    }

    private func show(_ plan: Plan, _ session: Session) throws {
        let changed = plan.items.filter { !$0.isUntouched }
        var first = plan
        first.items = Array(changed.prefix(Self.mostShown))
        let text = PlanText(
            plan: first, ids: try session.messages.shortIDs(first.items.map(\.message)),
            when: When(zone: session.zone, now: session.now), style: console.style, width: console.width)
        console.print(lines: text.lines())
        console.print(console.style.dim(" … \(changed.count - first.items.count) more messages"))
        console.print(console.style.bold(PlanTotals(plan).sentence))
    }

    /// Completes a task in its file, as another program would.
    private func complete(_ session: Session) async throws {
        let tasks = try session.tasks.files().files
        let board = TaskBoard(tasks, now: session.now, timeZone: session.zone.zone)
        let mine = board.sorted(tasks, .list).first { $0.todo.messageID != nil && $0.todo.list == .next }
        guard let file = mine else { return }
        let path = session.tasks.path(of: file)
        heading("sed -i s/NEEDS-ACTION/COMPLETED/ tasks/\(file.path)", "any program")
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let edited = text.replacing("STATUS:NEEDS-ACTION", with: "STATUS:COMPLETED")
        try Data(edited.utf8).write(to: URL(filePath: path), options: .atomic)
        try await run("the mail follows its task", session)
    }

    private func run(_ words: String, _ session: Session) async throws {
        heading("opus run", words)
        var options = Morning.Options()
        options.appliesAll = true
        let output = MorningOutput(session: session, console: console, appliesAll: true, isDryRun: false)
        var morning = try Morning(session, options, ask: TerminalAsk(console: console)) { event in
            if case .triage(.planned) = event { return }
            try output.show(event)
        }
        try output.show(try await morning.run())
    }

    private func heading(_ command: String, _ words: String) {
        console.print("\n" + console.style.bold("$ \(command)") + console.style.dim("      # \(words)"))
    }
}
