import ArgumentParser
import Models
import Pipeline

struct ComposeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compose", abstract: "Write a mail, in your editor or with options.",
        discussion: """
            On a terminal, your editor ($VISUAL or $EDITOR) opens with the header at the top. Without a terminal, or with \
            --body, the mail is made from the options. It is saved as a draft (opus drafts); --send sends it.
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

    @Flag(name: .long, help: "Do not quote the original.")
    var noQuote = false

    @Argument(help: "A message id (opus list).")
    var message: String

    func run() async throws {
        try await WritingFlow(global: global, writing: writing, leavesOutQuote: noQuote).run {
            Kind.purpose(message)
        }
    }
}

/// The kind of reply: to the sender or to all.
protocol ReplyKind {
    static var name: String { get }
    static var abstract: String { get }
    static var discussion: String { get }
    static func purpose(_ message: String) -> MailWish.Purpose
}

enum ReplyToSender: ReplyKind {
    static let name = "reply"
    static let abstract = "Reply to the sender of a message."
    static let discussion = "Honors Reply-To. The original is quoted below your text."
    static func purpose(_ message: String) -> MailWish.Purpose { .reply(message) }
}

enum ReplyToAll: ReplyKind {
    static let name = "reply-all"
    static let abstract = "Reply to the sender and to all recipients of a message."
    static let discussion = "Leaves out your own addresses. Honors Mail-Followup-To and Reply-To."
    static func purpose(_ message: String) -> MailWish.Purpose { .replyAll(message) }
}

struct ForwardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forward", abstract: "Forward a message with its attachments.",
        discussion: "The original is quoted below your text; its files are attached.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var writing: WritingOptions

    @Argument(help: "A message id (opus list).")
    var message: String

    func run() async throws {
        try await WritingFlow(global: global, writing: writing).run { .forward(message) }
    }
}
