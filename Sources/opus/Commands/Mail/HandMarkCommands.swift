import ArgumentParser
import Pipeline

/// `opus flag`, `unflag`, `read` and `unread`: set or clear one mark of messages.
struct HandMarkCommand<Kind: HandMark>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(commandName: Kind.name, abstract: Kind.abstract)
    }

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: HandOptions

    @Argument(help: "Message ids (opus list); - reads them from standard input.")
    var ids: [String]

    func run() async throws {
        let run = HandRun(
            global: global, options: options, verb: HandVerb(Kind.effect), command: "opus \(Kind.name)")
        try await run.run(ids)
    }
}

/// A command that sets or clears a mark.
protocol HandMark {
    static var name: String { get }
    static var abstract: String { get }
    static var effect: HandVerb.Effect { get }
}

enum FlagMark: HandMark {
    static let name = "flag"
    static let abstract = "Flag messages."
    static let effect = HandVerb.Effect.flag
}

enum UnflagMark: HandMark {
    static let name = "unflag"
    static let abstract = "Remove the flag from messages."
    static let effect = HandVerb.Effect.unflag
}

enum ReadMark: HandMark {
    static let name = "read"
    static let abstract = "Mark messages as read."
    static let effect = HandVerb.Effect.read
}

enum UnreadMark: HandMark {
    static let name = "unread"
    static let abstract = "Mark messages as unread."
    static let effect = HandVerb.Effect.unread
}

/// `opus label` and `opus unlabel`.
struct HandLabelCommand<Kind: HandLabel>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(commandName: Kind.name, abstract: Kind.abstract)
    }

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: HandOptions

    @Argument(help: "The label.")
    var label: String

    @Argument(help: "Message ids (opus list); - reads them from standard input.")
    var ids: [String]

    func run() async throws {
        let run = HandRun(
            global: global, options: options, verb: HandVerb(Kind.effect(label)),
            command: "opus \(Kind.name) \(label)")
        try await run.run(ids)
    }
}

/// A command that adds or removes a label.
protocol HandLabel {
    static var name: String { get }
    static var abstract: String { get }
    static func effect(_ label: String) -> HandVerb.Effect
}

enum AddLabel: HandLabel {
    static let name = "label"
    static let abstract = "Add a label to messages."
    static func effect(_ label: String) -> HandVerb.Effect { .label(label) }
}

enum RemoveLabel: HandLabel {
    static let name = "unlabel"
    static let abstract = "Remove a label from messages."
    static func effect(_ label: String) -> HandVerb.Effect { .unlabel(label) }
}
