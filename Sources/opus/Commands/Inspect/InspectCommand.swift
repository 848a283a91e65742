import ArgumentParser
import Inspection
import Models
import Pipeline

/// `opus inspect`: what is in a file, without a workspace, for people who look into mail.
struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Look into files: messages, HTML, task files, what a mail server said. Needs no workspace.",
        subcommands: [
            InspectMessageCommand.self, InspectHTMLCommand.self, InspectComposeCommand.self,
            InspectIMAPCommand.self, InspectTaskCommand.self,
        ])
}

struct InspectMessageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "message",
        abstract: "Show the parts of messages, what was read of them, and what is wrong with them.")

    @OptionGroup var global: GlobalOptions

    @Argument(
        help: "Files of any kind: .eml, of a Maildir, mbox; - is standard input.", completion: .file())
    var files: [String]

    func run() throws {
        let console = global.console()
        var hasFailed = false
        for (index, file) in files.enumerated() {
            do {
                let message = OpenMessage(try InspectionFile.read(file), name: file)
                if console.isJSON {
                    try console.print(jsonLine: message.inspection())
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

struct InspectHTMLCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "html",
        abstract: "Show the text of an HTML file, or the file made safe; links that lead elsewhere are named."
    )

    @OptionGroup var global: GlobalOptions

    @Flag(name: .long, help: "What a person reads.")
    var text = false

    @Flag(name: .long, help: "HTML without anything that runs or is fetched.")
    var sanitized = false

    @Argument(help: "An HTML file; - is standard input.", completion: .file())
    var file: String

    func validate() throws {
        guard !(text && sanitized) else {
            throw ValidationError("--text and --sanitized exclude each other.")
        }
        guard text || sanitized || global.json else { throw ValidationError("Say --text or --sanitized.") }
    }

    func run() throws {
        let console = global.console()
        let html = HTMLInspection(try InspectionFile.read(file), file: file)
        if console.isJSON { return try console.print(json: html) }
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
        abstract: "Print the message that a JSON description makes (man opus-json). Nothing is sent.")

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
