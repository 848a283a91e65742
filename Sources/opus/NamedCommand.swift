import ArgumentParser

/// Finds the command that the first words name, and reads only the options of that command.
///
/// The argument parser alone would first read the options of all commands above it, and look for requests that only the
/// topmost command answers: a quarter of the work of a short command in a debug build.
enum NamedCommand {
    /// The command with its options; nil: the argument parser must read the whole line, because it asks for help, names no
    /// command or has an error. Its message then names the whole command.
    static func read(_ arguments: [String], below root: any ParsableCommand.Type) -> (any ParsableCommand)? {
        var named = root
        var rest = arguments[...]
        while let word = rest.first, let next = subcommand(word, of: named) {
            named = next
            rest.removeFirst()
        }
        guard named != root, let command = try? named.parseAsRoot(Array(rest)),
            type(of: command).configuration.commandName != "help"
        else { return nil }
        return command
    }

    private static func subcommand(
        _ word: String, of command: any ParsableCommand.Type
    ) -> (any ParsableCommand.Type)? {
        command.configuration.subcommands.first {
            $0.configuration.commandName == word || $0.configuration.aliases.contains(word)
        }
    }
}
