import ArgumentParser
import CLinux
import Foundation
import Glibc
import Models
import Pipeline

/// `opus`: turns an inbox into sorted mail and a task list.
@main
struct Opus: AsyncParsableCommand {
    private static let version = "opus 0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "opus",
        abstract: "Mail in, a clear inbox and a trusted task list out.",
        discussion: """
            Every day: opus run syncs, triages by your rules, and updates tasks and mail from each other. Step by step: \
            opus sync, opus triage, opus list.
            First time: opus demo shows the whole workflow on a sample mailbox; it does not touch your mail. opus init sets \
            up your account and shows the first plan.
            More: opus help config, rules, query, dates, exit-codes or environment.
            """,
        version: version,
        groupedSubcommands: [
            CommandGroup(
                name: "Start", subcommands: [InitCommand.self, DemoCommand.self, DoctorCommand.self]),
            CommandGroup(
                name: "Every day",
                subcommands: [
                    RunCommand.self, BriefingCommand.self, SyncCommand.self, WatchCommand.self,
                    TriageCommand.self,
                    ApplyCommand.self,
                ]),
            CommandGroup(
                name: "Look",
                subcommands: [
                    ListCommand.self, BundleCommand.self, SearchCommand.self, ShowCommand.self,
                    ThreadsCommand.self, ThreadCommand.self,
                    ExplainCommand.self, InspectCommand.self, RunsCommand.self,
                    StatusCommand.self,
                ]),
            CommandGroup(
                name: "By hand",
                subcommands: [
                    InboxCommand.self,
                    DeferCommand.self, ScreenerCommand.self, HandMoveCommand<Archive>.self,
                    HandMoveCommand<Trash>.self,
                    HandMoveCommand<Junk>.self, MoveCommand.self, CopyCommand.self,
                    HandLabelCommand<AddLabel>.self, HandLabelCommand<RemoveLabel>.self,
                    HandMarkCommand<FlagMark>.self, HandMarkCommand<UnflagMark>.self,
                    HandMarkCommand<ReadMark>.self, HandMarkCommand<UnreadMark>.self, UndoCommand.self,
                ]),
            CommandGroup(
                name: "Write",
                subcommands: [
                    ComposeCommand.self, ReplyCommand<ReplyToSender>.self, ReplyCommand<ReplyToAll>.self,
                    ForwardCommand.self,
                    DraftsCommand.self, SendCommand.self, OutboxCommand.self, AnswerCommand.self,
                    UnsubscribeCommand.self,
                ]),
            CommandGroup(
                name: "Tasks",
                subcommands: [
                    TaskCommand.self, NextCommand.self, WaitingCommand.self, WaitCommand.self,
                    DelegateCommand.self, NudgeCommand.self, ScheduledCommand.self,
                    SomedayCommand.self, ProjectsCommand.self, ReviewCommand.self,
                ]),
            CommandGroup(
                name: "Set up",
                subcommands: [
                    RulesCommand.self, AccountCommand.self, MailboxCommand.self, ConfigCommand.self,
                    ServiceCommand.self, StoreCommand.self,
                ]),
        ])

    /// On the main actor, so that a command without waits runs on the first thread: a second one would get a heap of
    /// its own, which grows in small steps.
    @MainActor static func main() async {
        // Programs ask for the version often, so opus prints it at once, without a command, a thread or settings.
        if CommandLine.arguments.count == 2, CommandLine.arguments[1] == "--version" {
            openStandardFiles()
            return print(version)
        }
        let command = prepare()
        do {
            if let command = command as? any AsyncParsableCommand {
                try await Interruptible.run(command)
            } else {
                var command = command
                try command.run()
            }
            Pager.finish()
            if let problem = Console.lostResult { throw problem }
        } catch {
            end(with: error, console: console(for: Arguments.normalized(typed)))
        }
    }

    private static var typed: [String] { Array(CommandLine.arguments.dropFirst()) }

    /// Prepares the process, and reads the command. Ends the process after help and after a usage error.
    private static func prepare() -> any ParsableCommand {
        openStandardFiles()
        // Others can never write to files of opus, whatever the umask of the shell.
        _ = umask(umask(0o022) | 0o022)
        _ = signal(SIGPIPE, SIG_IGN)
        // If it was ignored by the program that started opus, the results of other programs would be lost.
        _ = signal(SIGCHLD, SIG_DFL)
        // glibc gives each thread its own heap and does not return its memory.
        opus_limit_arenas(2)
        let arguments = Arguments.normalized(typed)
        if let command = NamedCommand.read(arguments, below: Opus.self) { return command }
        if let problem = Arguments.problem(typed, commands: Set(commandNames + ["help"])) {
            end(
                with: Problem("usage", exit: .usage, message: problem.message, next: problem.next),
                console: console(for: typed))
        }
        if let page = HelpTopics.page(arguments) {
            print(page)
            Glibc.exit(0)
        }
        if let problem = HelpTopics.problem(arguments, commands: commandNames) {
            end(with: problem, console: console(for: arguments))
        }
        do {
            return try parseAsRoot(arguments)
        } catch {
            end(parsing: error, console: console(for: arguments))
        }
    }

    /// Opens standard streams that are closed. Otherwise the next file or connection would get such a descriptor, and
    /// the output with it.
    private static func openStandardFiles() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            _ = open("/dev/null", O_RDWR)
        }
    }

    private static var commandNames: [String] {
        let grouped = configuration.groupedSubcommands.flatMap { $0.subcommands }
        return (grouped + configuration.ungroupedSubcommands).flatMap {
            ($0.configuration.commandName.map { [$0] } ?? []) + $0.configuration.aliases
        }
    }

    /// Reports why a command ended, and exits with the code (docs/exit-codes.md).
    private static func end(with error: any Error, console: Console) -> Never {
        Pager.finish()
        switch error {
        case let outcome as Outcome:
            Glibc.exit(outcome.status.rawValue)
        case let failure as DiagnosticFailure:
            console.report(failure)
            Glibc.exit(failure.exit.rawValue)
        case let failure as FailingRuleTests:
            console.report(failure)
            Glibc.exit(ExitStatus.badData.rawValue)
        case is ExitCode, is CleanExit:
            exit(withError: error)
        case is ValidationError:
            end(parsing: error, console: console)
        case _ where exitCode(for: error) == .success:
            // The argument parser reports a request for help as an error.
            exit(withError: error)
        case _:
            let problem = Problem(error)
            console.report(problem)
            Glibc.exit(problem.exit.rawValue)
        }
    }

    /// Reports an error of the argument parser: as text, or with `--json` as `opus.error/1`.
    private static func end(parsing error: any Error, console: Console) -> Never {
        let code = exitCode(for: error)
        let unknown = UnknownCommand.problem(
            message: message(for: error), whole: fullMessage(for: error), commands: commandNames)
        if let unknown {
            console.report(unknown)
            Glibc.exit(code.rawValue)
        }
        guard console.isJSON, code != .success else { exit(withError: error) }
        console.report(UsageProblem.of(message: message(for: error), whole: fullMessage(for: error)))
        Glibc.exit(code.rawValue)
    }

    /// Reads enough of the global options to report an error in the right form.
    private static func console(for arguments: [String]) -> Console {
        Console(
            isJSON: arguments.prefix { $0 != "--" }.contains("--json"), isQuiet: false, color: .auto,
            environment: ProcessInfo.processInfo.environment)
    }
}
