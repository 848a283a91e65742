import Models
import Pipeline
import YAMLSource

/// Suggests a command if the first argument is not a command.
enum UnknownCommand {
    /// Names of commands in other programs, and the command of opus.
    private static let others = [
        "delete": "trash", "rm": "trash", "remove": "trash", "spam": "junk", "star": "flag",
        "unstar": "unflag",
        "tag": "label", "untag": "unlabel", "mv": "move", "find": "search", "fetch": "sync", "pull": "sync",
        "todo": "task", "todos": "task", "new": "compose", "mail": "compose", "rule": "rules",
        "cat": "show", "view": "show", "open": "show", "filter": "rules", "deferred": "defer",
        "fwd": "forward",
        "mark": "read", "done": "task done", "complete": "task done", "add": "task add", "log": "runs",
        "history": "runs", "folders": "mailbox", "folder": "mailbox",
        "login": "account login", "accounts": "account", "settings": "config", "version": "--version",
        "completion": "--generate-completion-script bash",
    ]

    /// The command that the user probably means; nil: no command is similar.
    static func meant(by word: String, among commands: [String]) -> String? {
        others[word.lowercased()] ?? nearest(to: word, among: commands)
    }

    /// - Parameters:
    ///   - message: The error of the argument parser.
    ///   - whole: The error with the usage, which shows which command was parsed.
    ///   - commands: The names of all commands.
    /// - Returns: nil when a command was found, or when there is no extra argument.
    static func problem(message: String, whole: String, commands: [String]) -> Problem? {
        let quoted = message.split(separator: "'", omittingEmptySubsequences: false)
        guard message.contains("nexpected argument"), quoted.count > 1,
            whole.contains("Usage: opus <subcommand>")
        else { return nil }
        let word = String(quoted[1])
        guard !word.isEmpty, !word.hasPrefix("-"), !commands.contains(word) else { return nil }
        let meant = self.meant(by: word, among: commands)
        return Problem(
            "usage", exit: .usage, message: "unknown command \"\(word)\"",
            next: [meant.map { "opus \($0)" }, "opus --help"].compactMap(\.self))
    }
}
