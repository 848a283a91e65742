import ArgumentParser
import Foundation
import Glibc
import Inspection
import Models
import Pipeline

/// What all commands that write a mail take.
struct WritingOptions: ParsableArguments {
    @Option(name: .long, help: ArgumentHelp("A recipient; may stand more than once.", valueName: "address"))
    var to: [String] = []

    @Option(name: .long, help: ArgumentHelp("Who gets a copy.", valueName: "address"))
    var cc: [String] = []

    @Option(name: .long, help: ArgumentHelp("Who gets a copy that nobody sees.", valueName: "address"))
    var bcc: [String] = []

    @Option(name: .long, help: ArgumentHelp("The subject.", valueName: "text"))
    var subject: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The text: a file, or - for standard input. No editor is opened.", valueName: "file"),
        completion: .file())
    var body: String?

    @Option(
        name: .long, help: ArgumentHelp("A file to go along; may stand more than once.", valueName: "file"),
        completion: .file())
    var attach: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp("One of your addresses; it chooses the account.", valueName: "address"))
    var from: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Begin with templates/name.txt of the workspace.", valueName: "name"))
    var template: String?

    @Flag(name: .long, help: "Send it when it is written; --draft, the default, keeps it.")
    var send = false

    @Flag(name: .long, help: "Keep it as a draft.")
    var draft = false

    @OptionGroup var sending: SendingOptions

    func validate() throws {
        if send, draft { throw ValidationError("--send and --draft exclude each other.") }
    }

    /// `readsInput`: standard input is the text where there is no terminal and no --body.
    func wish(_ purpose: MailWish.Purpose, account: String?, isInteractive: Bool) throws -> MailWish {
        var wish = MailWish(purpose)
        wish.account = account
        (wish.from, wish.to, wish.cc, wish.bcc) = (from, to, cc, bcc)
        (wish.subject, wish.attachments, wish.template) = (subject, attach, template)
        if let body {
            wish.body = try Self.text(body)
        } else if !isInteractive, isatty(STDIN_FILENO) == 0 {
            wish.body = try Self.text("-")
        } else if !isInteractive {
            throw Problem(
                "needs-body", exit: .usage,
                message: "there is no terminal to write on, and --body was not given",
                next: ["--body FILE", "--body - (standard input)"])
        }
        return wish
    }

    /// Whether the text comes from standard input: then it is nowhere else.
    func readsInput(isInteractive: Bool) -> Bool { body == "-" || (body == nil && !isInteractive) }

    private static func text(_ path: String) throws -> String {
        let bytes = try InspectionFile.read(path)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Problem(
                "bad-text", exit: .badData,
                message: "\(path == "-" ? "standard input" : path) is no UTF-8 text",
                next: ["iconv -t UTF-8"])
        }
        return text
    }

    /// Whether an editor can be opened.
    func isInteractive(_ global: GlobalOptions) -> Bool {
        body == nil && isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
            && global.environment["OPUS_NO_INPUT"] == nil
    }
}

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

struct ReplyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reply", abstract: "Answer the writer of a message.",
        discussion: "Reply-To is respected; the original is quoted below your words.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var writing: WritingOptions

    @Flag(name: .long, help: "Without the words of the original, which are then not fetched either.")
    var noQuote = false

    @Argument(help: "A message id (opus list).")
    var message: String

    func run() async throws {
        try await WritingFlow(global: global, writing: writing, leavesOutQuote: noQuote).run {
            .reply(message)
        }
    }
}

struct ReplyAllCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reply-all", abstract: "Answer the writer and everybody who got the message.",
        discussion: "Your own addresses are left out; Mail-Followup-To and Reply-To are respected.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var writing: WritingOptions

    @Flag(name: .long, help: "Without the words of the original, which are then not fetched either.")
    var noQuote = false

    @Argument(help: "A message id (opus list).")
    var message: String

    func run() async throws {
        try await WritingFlow(global: global, writing: writing, leavesOutQuote: noQuote).run {
            .replyAll(message)
        }
    }
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

/// From a wish to a draft: the editor where there is one, the mistakes in what was typed, then the outbox or Drafts.
struct WritingFlow {
    let global: GlobalOptions
    let writing: WritingOptions
    var leavesOutQuote = false

    func run(_ purpose: () -> MailWish.Purpose) async throws {
        let console = global.console()
        let isInteractive = writing.isInteractive(global)
        var wish = try writing.wish(purpose(), account: global.account, isInteractive: isInteractive)
        wish.leavesOutQuote = leavesOutQuote
        guard isInteractive || !wish.isEmpty else {
            throw Problem(
                "nothing-written", exit: .badData,
                message: "there is no text, no recipient and no subject: aborted, nothing changed",
                next: ["--body FILE", "--to ADDRESS --subject TEXT"])
        }
        let asked = wish
        let kept = Kept()
        let save = {
            try await Session.with(try global.sessionOptions(), .reading) { session in
                let draft = try session.drafts.keep(try await session.composing.compose(asked))
                kept.draft =
                    isInteractive
                    ? try Editing(session: session, console: console, environment: global.environment)
                        .edit(draft, isNew: true) : draft
            }
        }
        if let text = wish.body, writing.readsInput(isInteractive: isInteractive) {
            let piped = PipedText(text: text, options: try global.sessionOptions(), console: console)
            try await piped.saved(by: save)
        } else {
            try await save()
        }
        guard let draft = kept.draft else { return }
        try await DraftEnding(global: global, console: console).end(
            draft, sends: writing.send, with: writing.sending)
    }

    /// Carries the draft out of the session that made it. Only one task uses it.
    private final class Kept: @unchecked Sendable {
        var draft: OpenDraft?
    }
}
