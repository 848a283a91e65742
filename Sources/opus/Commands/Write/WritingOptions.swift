import ArgumentParser
import Glibc
import Inspection
import Models
import Pipeline

/// The options of all commands that write a mail.
struct WritingOptions: ParsableArguments {
    @Option(name: .long, help: ArgumentHelp("A recipient; may be repeated.", valueName: "address"))
    var to: [String] = []

    @Option(name: .long, help: ArgumentHelp("A recipient of a copy; may be repeated.", valueName: "address"))
    var cc: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp("A recipient of a hidden copy; may be repeated.", valueName: "address"))
    var bcc: [String] = []

    @Option(name: .long, help: ArgumentHelp("The subject.", valueName: "text"))
    var subject: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Read the text from a file, or - for standard input; no editor is opened.", valueName: "file"),
        completion: .file())
    var body: String?

    @Option(
        name: .long, help: ArgumentHelp("A file to attach; may be repeated.", valueName: "file"),
        completion: .file())
    var attach: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp("The address to send from; it selects the account.", valueName: "address"))
    var from: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Start from templates/NAME.txt in the workspace.", valueName: "name"))
    var template: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Wait for the answer from the moment the mail is sent; ask again then: 3bd, friday.",
            valueName: "when"))
    var wait: String?

    @Flag(name: .long, help: "Send the mail; without this it is kept as a draft.")
    var send = false

    @Flag(name: .long, help: "Keep the mail as a draft (the default).")
    var draft = false

    @OptionGroup var sending: SendingOptions

    func validate() throws {
        if send, draft { throw ValidationError("Use either --send or --draft, not both.") }
    }

    /// Without a terminal and without --body, reads the text from standard input.
    func wish(_ purpose: MailWish.Purpose, account: String?, isInteractive: Bool) throws -> MailWish {
        var wish = MailWish(purpose)
        wish.account = account
        (wish.from, wish.to, wish.cc, wish.bcc) = (from, to, cc, bcc)
        (wish.subject, wish.attachments, wish.template) = (subject, attach, template)
        wish.wait = wait
        if let body {
            wish.body = try Self.text(body)
        } else if !isInteractive, isatty(STDIN_FILENO) == 0 {
            wish.body = try Self.text("-")
        } else if !isInteractive {
            throw Problem(
                "needs-body", exit: .usage,
                message: "no terminal to write on, and --body was not given",
                next: ["--body FILE", "--body - (standard input)"])
        }
        return wish
    }

    /// Whether the text comes from standard input, and so exists nowhere else.
    func readsInput(isInteractive: Bool) -> Bool { body == "-" || (body == nil && !isInteractive) }

    static func text(_ path: String) throws -> String {
        let bytes = try InspectionFile.read(path)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Problem(
                "bad-text", exit: .badData,
                message: "\(path == "-" ? "standard input" : path) is not UTF-8 text",
                next: ["iconv -f CHARSET -t UTF-8 FILE > NEW-FILE"])
        }
        return text
    }

    /// Whether an editor can be opened.
    func isInteractive(_ global: GlobalOptions) -> Bool {
        body == nil && isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
            && global.environment["OPUS_NO_INPUT"] == nil
    }
}
