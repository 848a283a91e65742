import ArgumentParser
import Testing

@testable import opus

/// Global options may come before the command; every other argument stays where it is.
@Suite("Arguments")
struct ArgumentsTests {
    @Test(
        "global options may be before or after the command",
        arguments: [
            ("sync", "sync"),
            ("", ""),
            ("--workspace W sync", "sync --workspace W"),
            ("--json -q list from:ana", "list from:ana --json -q"),
            (
                "-a work --now 2026-03-10T08:30:00Z triage --dry-run",
                "triage --dry-run -a work --now 2026-03-10T08:30:00Z"
            ),
            ("--color=never list", "list --color=never"),
            ("--workspace=W --json list", "list --workspace=W --json"),
            ("--no-pager list", "list --no-pager"),
            ("--json search -- -label:news", "search --json -- -label:news"),
            ("list --json", "list --json"),
            // A term that excludes messages is not an option.
            ("list from:ana -label:news --json", "list from:ana  -label:news --json"),
            ("-q search -(to:me or cc:me) -size>2M", "search  -(to:me or cc:me)  -size>2M -q"),
            ("triage --query -from:bob --dry-run", "triage --query  -from:bob --dry-run"),
            ("list -a work -q --limit=5 --folder=a:b", "list -a work -q --limit=5 --folder=a:b"),
            ("list -- -label:news", "list -- -label:news"),
            ("show -label:news", "show -label:news"),
            ("--help", "--help"),
            ("--json --help", "--help --json"),
            ("--version", "--version"),
            ("--generate-completion-script zsh", "--generate-completion-script zsh"),
            ("--workspace", "--workspace"),
            ("--account x help rules", "help rules"),
            ("--json help", "help"),
            ("-q --color=never help task list", "help task list"),
            ("--account help rules", "rules --account help"),
            ("--unknown --json list", "--unknown --json list"),
        ])
    func moved(_ typed: String, _ parsed: String) {
        let words = typed.split(separator: " ").map(String.init)
        #expect(Arguments.normalized(words).joined(separator: " ") == parsed)
    }

    @Test("a command of another program is answered with opus's name for it")
    func foreignCommand() {
        let commands: Set<String> = ["trash", "delegate", "defer"]
        for (word, meant) in [("delete", "trash"), ("deferred", "defer"), ("delegat", "delegate")] {
            let found = Arguments.problem(["--workspace", "W", word], commands: commands)
            #expect(found?.next.first == "did you mean opus \(meant)?")
        }
    }

    @Test("every command sets its name explicitly")
    func namedCommands() {
        var open: [any ParsableCommand.Type] = [Opus.self]
        var count = 0
        while let command = open.popLast() {
            #expect(command.configuration.commandName != nil, "\(command)")
            open += command.configuration.subcommands
            open += command.configuration.groupedSubcommands.flatMap(\.subcommands)
            count += 1
        }
        #expect(count > 100)
    }

    @Test(
        "a command is read the same by its name as from the whole line; help and errors need the whole line",
        arguments: [
            ("list", "list"), ("ls --limit 3", "list"), ("task", "list"), ("task add Call", "add"),
            ("tasks done 1", "done"), ("rules", "check"), ("outbox --json", "list"), ("list --help", nil),
            ("list help", "list"), ("task help", nil), ("help list", nil), ("--version", nil),
            ("list --version", nil),
            ("list --limit x", nil), ("list --unknown", nil), ("move", nil), ("", nil), ("nonsense", nil),
        ] as [(String, String?)])
    func commandByName(_ line: String, _ name: String?) {
        let words = line.split(separator: " ").map(String.init)
        let command = NamedCommand.read(words, below: Opus.self)
        #expect(command.flatMap { type(of: $0).configuration.commandName } == name)
        guard let command else { return }
        let whole = try? Opus.parseAsRoot(words)
        #expect(whole.map { type(of: $0) == type(of: command) } == true)
    }
}
