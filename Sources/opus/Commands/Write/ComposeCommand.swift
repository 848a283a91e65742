import ArgumentParser
import Models
import Pipeline

struct ComposeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compose", abstract: "Write a mail, in your editor or by options.",
        discussion: """
            On a terminal $VISUAL or $EDITOR opens with the header on top; elsewhere, or with --body, the options say \
            it all. It becomes a draft (opus drafts); --send puts it into the outbox.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var writing: WritingOptions

    func run() async throws {
        try await WritingFlow(global: global, writing: writing).run { .new }
    }
}

/// `opus reply` and `opus reply-all`.
struct ReplyCommand<Kind: ReplyKind>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: Kind.name, abstract: Kind.abstract, discussion: Kind.discussion)
    }

    @OptionGroup var global: GlobalOptions
    @OptionGroup var writing: WritingOptions

    @Flag(name: .long, help: "Without the words of the original, which are then not fetched either.")
    var noQuote = false

    @Argument(help: "A message id (opus list).")
    var message: String

    func run() async throws {
        try await WritingFlow(global: global, writing: writing, leavesOutQuote: noQuote).run {
            Kind.purpose(message)
        }
    }
}

/// Who gets a reply.
protocol ReplyKind {
    static var name: String { get }
    static var abstract: String { get }
    static var discussion: String { get }
    static func purpose(_ message: String) -> MailWish.Purpose
}

enum ReplyToSender: ReplyKind {
    static let name = "reply"
    static let abstract = "Answer the writer of a message."
    static let discussion = "Reply-To is respected; the original is quoted below your words."
    static func purpose(_ message: String) -> MailWish.Purpose { .reply(message) }
}

enum ReplyToAll: ReplyKind {
    static let name = "reply-all"
    static let abstract = "Answer the writer and everybody who got the message."
    static let discussion = "Your own addresses are left out; Mail-Followup-To and Reply-To are respected."
    static func purpose(_ message: String) -> MailWish.Purpose { .replyAll(message) }
}

struct ForwardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forward", abstract: "Pass a message on, with its files.",
        discussion: "The original stands below your words, its files beside it.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var writing: WritingOptions

    @Argument(help: "A message id (opus list).")
    var message: String

    func run() async throws {
        try await WritingFlow(global: global, writing: writing).run { .forward(message) }
    }
}
