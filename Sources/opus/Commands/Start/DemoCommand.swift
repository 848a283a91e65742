import ArgumentParser
import Foundation
import Models
import Pipeline

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Show the whole workflow on a sample mailbox, in a temporary folder.",
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
        _ = try DemoWorkspace.make(at: root, mail: share.mail, rules: share.rules)
        var options = try global.sessionOptions()
        options.workspace = root
        options.now = DemoWorkspace.now
        try await DemoStory(console: global.console(forPeople: true), options: options).tell()
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

/// The steps of the demo: inbox, plan, apply, task files, one task completed in its file, its mail archived, and a last
/// run that has nothing to do.
private struct DemoStory {
    let console: Console
    let options: SessionOptions

    func tell() async throws {
        try await Session.with(options, .changing) { session in
            let account = AccountID("work")
            heading("opus sync", "40 messages of a sample Maildir")
            SyncReporter(console: console).show(try await session.sync.account(account))
            heading("opus triage", "what the rules would do with the inbox")
            let library = try session.rules.library()
            let plan = try session.triage.plan(for: account, rules: library, limit: nil)
            try PlanOutput(session: session, console: console).show(plan, library.rules, isDryRun: false)
            heading("opus apply", "the plan goes through the journal")
            RunOutput(session: session, console: console).show(
                try await session.triage.apply(plan, command: "demo"))
            heading("opus list", "what is left in the inbox")
            try MessageListOutput(session: session, console: console).show(
                try session.messages.list(account: nil, folder: nil, everywhere: false, matching: nil),
                next: nil)
            heading("opus task list", "one .ics file each, for any program to edit")
            let tasks = try session.tasks.files().files
            let board = TaskBoard(tasks, now: session.now, timeZone: session.zone.zone)
            let sorted = board.sorted(tasks, .list)
            TaskOutput(session: session, console: console).show(sorted, board, isNumbered: false)
            try await completeByEditing(sorted, session)
            heading("opus run", "a second run has nothing to do")
            try await again(session, account, library)
        }
    }

    /// Edits a task file as any other program would.
    private func completeByEditing(_ tasks: [TodoFile], _ session: Session) async throws {
        guard let file = tasks.first(where: { $0.todo.messageID != nil && $0.todo.list == .next }) else {
            return
        }
        let path = session.tasks.path(of: file)
        heading("sed -i s/NEEDS-ACTION/COMPLETED/ tasks/\(file.path)", "complete the task in its file")
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let edited = text.replacing("STATUS:NEEDS-ACTION", with: "STATUS:COMPLETED")
        for line in edited.replacing("\r\n", with: "\n").split(separator: "\n") where Self.shown(line) {
            console.print("  " + TerminalText.line(line))
        }
        try Data(edited.utf8).write(to: URL(filePath: path), options: .atomic)
        heading("opus run", "the mail follows its task")
        let report = try await session.follow.taskEdits(for: [AccountID("work")], allowMassDelete: false)
        for line in report.lines { console.print(TerminalText.line(line)) }
        for run in report.runs { RunOutput(session: session, console: console).show(run) }
    }

    private static func shown(_ line: Substring) -> Bool {
        ["SUMMARY", "STATUS", "DUE", "URL", "CATEGORIES", "X-OPUS-RULE"].contains { line.hasPrefix($0) }
    }

    private func again(_ session: Session, _ account: AccountID, _ library: RuleLibrary) async throws {
        let sync = try await session.sync.account(account)
        let follow = try await session.follow.taskEdits(for: [account], allowMassDelete: false)
        let plan = try session.triage.plan(for: account, rules: library, limit: nil)
        if sync.isQuiet, follow.runs.allSatisfy(\.didNothing), !PlanTotals(plan).hasChanges {
            console.print("Nothing to do.")
        } else {
            SyncReporter(console: console).show(sync)
            console.print(PlanTotals(plan).sentence)
        }
    }

    private func heading(_ command: String, _ words: String) {
        console.print("\n" + console.style.bold("$ \(command)") + console.style.dim("      # \(words)"))
    }
}
