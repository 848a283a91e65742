import ArgumentParser
import Documents
import Inspection
import Models
import Pipeline

/// `opus inspect`: examines files without a workspace.
struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract:
            "Examine files: messages, HTML, task files, recordings of a mail server. Needs no workspace.",
        subcommands: [
            InspectMessageCommand.self, InspectHeaderCommand.self, InspectHTMLCommand.self,
            InspectComposeCommand.self,
            InspectIMAPCommand.self, InspectTaskCommand.self, InspectThreadsCommand.self,
        ])
}

struct InspectMessageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "message",
        abstract: "Show the parts of messages, how opus reads them, and what is wrong with them.")

    @OptionGroup var global: GlobalOptions

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Print only the bytes of these header fields: received,from.", valueName: "names"))
    var fields: String?

    @Argument(
        help: "Message files (.eml, Maildir or mbox); - is standard input.", completion: .file())
    var files: [String]

    func run() throws {
        let console = global.console()
        let names = fields.map { $0.split(separator: ",").map { $0.lowercased() } }
        var hasFailed = false
        for (index, file) in files.enumerated() {
            do {
                let message = OpenMessage(try InspectionFile.read(file), name: file)
                if console.isJSON {
                    try console.print(jsonLine: MessageDocument(message.inspection(fields: names)))
                } else if let names {
                    for field in message.fields(names) { console.print(bytes: field.bytes + [0x0A]) }
                } else {
                    if index > 0, console.isTerminal { console.print("") }
                    StructureOutput(console: console).show(message.structure(), withFile: true)
                }
            } catch let problem as Problem {
                console.report(problem)
                hasFailed = true
            }
        }
        if hasFailed { throw Outcome(status: .someFailed) }
    }
}

struct InspectHeaderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "header",
        abstract: "Show how opus reads header fields: the text, addresses, dates, ids and parameters.")

    @OptionGroup var global: GlobalOptions

    @Argument(
        help: ArgumentHelp(
            "One field, such as 'Subject: =?utf-8?q?Caf=C3=A9?='; - reads fields from standard input.",
            valueName: "field"))
    var field: String

    func run() throws {
        let console = global.console()
        let bytes =
            field == "-"
            ? try InspectionFile.read("-", limit: HeaderInspection.limit)
            : Array(field.utf8) + Array("\n".utf8)
        for field in try HeaderInspection.all(in: bytes, file: field == "-" ? "-" : "the argument") {
            if console.isJSON {
                try console.print(jsonLine: HeaderDocument(field))
            } else {
                HeaderOutput(console: console).show(field)
            }
        }
    }
}

struct InspectHTMLCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "html",
        abstract:
            "Show the text of an HTML file, or a safe version of it; lists links whose text shows another address."
    )

    @OptionGroup var global: GlobalOptions

    @Flag(name: .long, help: "Print the readable text.")
    var text = false

    @Flag(name: .long, help: "Print HTML without scripts and remote content.")
    var sanitized = false

    @Argument(help: "An HTML file; - is standard input.", completion: .file())
    var file: String

    func validate() throws {
        guard !(text && sanitized) else {
            throw ValidationError("Use either --text or --sanitized, not both.")
        }
        guard text || sanitized || global.json else { throw ValidationError("Use --text or --sanitized.") }
    }

    func run() throws {
        let console = global.console()
        let html = HTMLInspection(try InspectionFile.read(file), file: file)
        if console.isJSON { return try console.print(json: HtmlDocument(html)) }
        let output = HTMLOutput(console: console)
        if text {
            output.show(text: html.text, html.suspectLinks)
        } else {
            output.show(html: html.sanitized, html.suspectLinks)
        }
    }
}

struct InspectComposeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compose",
        abstract: "Print the message that a JSON description defines (man opus-json). Sends nothing.")

    @OptionGroup var global: GlobalOptions

    @Argument(help: "The description; - is standard input.", completion: .file(extensions: ["json"]))
    var file: String

    func run() throws {
        let clock = SessionClock(fixed: try global.sessionOptions().now)
        let json = try InspectionFile.read(file)
        let name = file == "-" ? "standard input" : file
        global.console().print(bytes: try ComposeFile.message(from: json, file: name, now: clock.now))
    }
}
