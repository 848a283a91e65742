import ArgumentParser
import Models
import Pipeline

/// `opus archive`, `opus trash` and `opus junk`: move messages to the mailbox with a role.
struct HandMoveCommand<Kind: HandMove>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(commandName: Kind.name, abstract: Kind.abstract)
    }

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: HandOptions
    @OptionGroup var scope: HandScope

    @Argument(help: "Message ids (opus list); - reads them from standard input.")
    var ids: [String]

    func run() async throws {
        let verb = HandVerb(Kind.effect, takesThread: scope.takesThread, isForced: scope.force)
        try await HandRun(global: global, options: options, verb: verb, command: "opus \(Kind.name)").run(ids)
    }
}

/// A command that moves messages to the mailbox with a role.
protocol HandMove {
    static var name: String { get }
    static var abstract: String { get }
    static var effect: HandVerb.Effect { get }
}

enum Archive: HandMove {
    static let name = "archive"
    static let abstract = "Archive conversations: all their messages in the same mailbox."
    static let effect = HandVerb.Effect.archive
}

enum Trash: HandMove {
    static let name = "trash"
    static let abstract = "Move the named messages to the trash."
    static let effect = HandVerb.Effect.trash
}

enum Junk: HandMove {
    static let name = "junk"
    static let abstract = "Move the named messages to junk."
    static let effect = HandVerb.Effect.junk
}

struct MoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Move conversations to a mailbox.",
        usage: "opus move <ids> ... <mailbox>")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: HandOptions
    @OptionGroup var scope: HandScope

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The mailbox, by name or role; all arguments are then message ids.", valueName: "mailbox"))
    var to: String?

    @Flag(name: .long, help: "Make the mailbox if the account does not have it.")
    var create = false

    @Argument(help: "Message ids (opus list; - reads them from standard input), and the mailbox.")
    var words: [String]

    func run() async throws {
        let (ids, mailbox) = try MailboxWords.split(words, to: to, command: "move")
        let verb = HandVerb(
            .move(to: mailbox, creating: create), takesThread: scope.takesThread, isForced: scope.force)
        try await HandRun(global: global, options: options, verb: verb, command: "opus move").run(ids)
    }
}

struct CopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy", abstract: "Put a copy of messages into a mailbox.",
        usage: "opus copy <ids> ... <mailbox>")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: HandOptions

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The mailbox, by name or role; all arguments are then message ids.", valueName: "mailbox"))
    var to: String?

    @Argument(help: "Message ids (opus list; - reads them from standard input), and the mailbox.")
    var words: [String]

    func run() async throws {
        let (ids, mailbox) = try MailboxWords.split(words, to: to, command: "copy")
        let verb = HandVerb(.copy(to: mailbox))
        try await HandRun(global: global, options: options, verb: verb, command: "opus copy").run(ids)
    }
}

/// The arguments of `move` and `copy`: ids, then the mailbox, unless `--to` names it.
private enum MailboxWords {
    static func split(
        _ words: [String], to: String?, command: String
    ) throws(Problem) -> (ids: [String], mailbox: String) {
        var ids = words
        guard let mailbox = to ?? ids.popLast(), !ids.isEmpty else {
            throw Problem(
                "no-mailbox", exit: .usage,
                message: "the messages or the mailbox are missing",
                next: [
                    "opus \(command) 7k2q Projects", "opus mailbox list",
                ])
        }
        return (ids, mailbox)
    }
}
