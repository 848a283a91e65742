import ArgumentParser
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
