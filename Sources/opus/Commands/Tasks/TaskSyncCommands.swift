import ArgumentParser
import Documents
import Models
import Pipeline

struct TaskSyncSetupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync-setup",
        abstract:
            "Set up the sync of tasks with a calendar server, so that they are on your phone.",
        discussion: """
            Services: radicale, nextcloud, fastmail, mailbox.org, posteo, xandikos, baikal, sogo, or caldav with the full --url. \
            Writes the configuration of vdirsyncer or pimsync beside opus.yaml (never over a file of yours), finds or makes the \
            lists on the server, syncs once, and sets tasks: { sync-command: … } in opus.yaml. From then on, opus syncs after \
            each change of tasks, at the beginning of opus run, and while opus watch runs.
            """)

    @OptionGroup var global: GlobalOptions

    @Argument(help: "The calendar service, such as nextcloud or fastmail.")
    var service: String

    @Option(
        name: .customLong("with"),
        help: ArgumentHelp("The program that syncs: vdirsyncer or pimsync.", valueName: "program"))
    var program: SyncProgramName = .vdirsyncer

    @Option(
        name: .long,
        help: ArgumentHelp("The address of your own server (https://cloud.example.org).", valueName: "url"))
    var url: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The user name at the service (default: the address of your account there).", valueName: "name"))
    var user: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Program and arguments that print the password for the service; no shell reads them.",
            valueName: "command")
    )
    var passwordCommand: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "If a task changed on both sides: keep both versions and report it, or use the one here or on the server.",
            valueName: "rule"))
    var conflict: SyncConflictRule = .keep

    @OptionGroup var certificates: CertificateOptions

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The file for the configuration (default: vdirsyncer.conf or pimsync.conf beside opus.yaml).",
            valueName: "file"))
    var config: String?

    @Flag(name: .customLong("print"), help: "Print the configuration, and write and start nothing.")
    var isPreview = false

    func run() async throws {
        let console = global.console()
        var wish = TaskSyncSetup.Wish(service: try TaskSyncService.named(service))
        wish.program = program.program
        (wish.url, wish.user, wish.passwordCommand) = (url, user, passwordCommand)
        (wish.conflict, wish.caFile, wish.file) = (conflict.rule, certificates.caFile, config)
        let setup = try TaskSyncSetup(try global.sessionOptions())
        if isPreview { return console.print(try setup.configuration(wish).text) }
        let report = try await setup.run(wish) { console.note("\(program.rawValue): \($0) …") }
        if console.isJSON { return try console.print(json: TaskSyncSetupDocument(report)) }
        show(report, console)
    }

    private func show(_ report: TaskSyncSetup.Report, _ console: Console) {
        console.print(
            "Synced with \(report.service.title): \(counted(report.after, "task")) in \(report.lists.count) lists"
        )
        console.note("Wrote \(TerminalText.line(report.file)).")
        switch report.conflict {
        case .keep:
            console.note(
                "If a task changes on both sides, both versions stay, and opus reports it (--conflict).")
        case .here: console.note("If a task changes on both sides, the version here is kept.")
        case .server: console.note("If a task changes on both sides, the version of the server is kept.")
        }
        if let other = report.otherCommand {
            console.warn(
                "opus did not change tasks.sync-command in opus.yaml, which has another command: "
                    + TerminalText.line(other.joined(separator: " ")))
        } else {
            console.note(
                "opus syncs after changes of tasks, in opus run, and while opus watch runs.      next: opus watch"
            )
        }
    }
}

/// The names of ``SyncProgram`` on the command line.
enum SyncProgramName: String, ExpressibleByArgument, CaseIterable {
    case vdirsyncer
    case pimsync

    var program: SyncProgram { self == .vdirsyncer ? .vdirsyncer : .pimsync }
}

/// The names of ``TaskSyncSetup/Conflict`` on the command line.
enum SyncConflictRule: String, ExpressibleByArgument, CaseIterable {
    case keep
    case here
    case server

    var rule: TaskSyncSetup.Conflict {
        switch self {
        case .keep: .keep
        case .here: .here
        case .server: .server
        }
    }
}

struct TaskSyncCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Sync the task folder with its calendar server now (tasks: { sync-command: … }).")

    @OptionGroup var global: GlobalOptions

    @Flag(name: .long, help: "Proceed even if most task files are missing, here or on the server.")
    var allowMassDelete = false

    @Flag(name: .long, help: .hidden)
    var afterChange = false

    func run() async throws {
        let console = global.console()
        let options = try global.sessionOptions()
        guard var syncing = try TaskSyncing(options) else {
            throw Problem(
                "no-tasks-sync", exit: .configuration, message: "task sync is not set up",
                next: ["opus tasks sync-setup SERVICE"])
        }
        syncing.allowsMassDelete = allowMassDelete
        // A process in the background keeps its failure for the next command.
        if afterChange { return _ = try await syncing.runAfterChange() }
        let outcome = try await syncing.run(.server)
        if case .failed(let problem, _) = outcome {
            syncing.takeProblem()
            throw problem
        }
        if console.isJSON { return try console.print(json: TaskSyncDocument(outcome)) }
        switch outcome {
        case .synced(let seconds, let files, let onlyHere):
            let time = (seconds * 10).rounded() / 10
            console.print(
                "Synced the tasks in \(time) s" + (files ? ": files changed" : ": nothing new here"))
            if let words = TaskSyncing.words(onlyHere: onlyHere) { console.warn(TerminalText.line(words)) }
            if files { console.note("next: opus run      moves the mail of changed tasks") }
        case .nothing, .busy, .failed: console.print("Another opus process syncs the tasks.")
        }
    }
}

/// Shows the failure of a sync in the background, once.
enum TaskSyncNews {
    static func show(_ session: Session, _ console: Console) {
        if let problem = session.taskSync?.takeProblem() { console.report(problem) }
    }
}
