import ArgumentParser
import Documents
import Inspection
import Models
import Pipeline

struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract:
            "Show a message of an account or from a file, safely for the terminal.",
        discussion: """
            An argument that contains / or ., or is -, is a file of any kind, and needs no workspace; anything else is a \
            message id. Use at most one of the options below; --json works with all of them but --raw and --part, which \
            print bytes.
            """)

    @OptionGroup var global: GlobalOptions

    @Flag(name: .long, help: "Print only the readable text.")
    var text = false

    @Flag(name: .long, help: "Print the HTML body, made safe for a browser.")
    var html = false

    @Flag(name: .long, help: "Print all header fields.")
    var headers = false

    @Flag(
        name: .long, help: "Print the tree of parts with their section numbers, and defects of the message.")
    var structure = false

    @Flag(
        name: .long,
        help: "Print the original bytes; on a terminal, control characters are escaped.")
    var raw = false

    @Option(
        name: .long,
        help: ArgumentHelp("Print the decoded bytes of one part, by its section number.", valueName: "number")
    )
    var part: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Save the attachments into a folder; never overwrites a file.", valueName: "folder"),
        completion: .directory)
    var save: String?

    @Argument(help: "A message id (opus list), or a file.", completion: .file())
    var message: String

    func validate() throws {
        let chosen = [
            ("--text", text), ("--html", html), ("--headers", headers), ("--structure", structure),
            ("--raw", raw),
            ("--part", part != nil), ("--save", save != nil),
        ].filter(\.1).map(\.0)
        guard chosen.count <= 1 else {
            throw ValidationError("Use only one of \(chosen.joined(separator: " and ")).")
        }
    }

    func run() async throws {
        // A pager cannot show raw bytes, and saved files are only reported.
        let console = raw || part != nil || save != nil ? global.console() : global.listConsole()
        if InspectionFile.isMeant(by: message) {
            return try show(OpenMessage(try InspectionFile.read(message), name: message), console)
        }
        do {
            try await Session.with(try global.sessionOptions(), .reading) { session in
                try await show(in: session, console)
            }
        } catch let problem as Problem where InspectionFile.exists(message) {
            throw Self.hintingAtFile(problem, message)
        }
    }

    /// If no message has that id, suggests the file with that name.
    private static func hintingAtFile(_ problem: Problem, _ name: String) -> Problem {
        guard ["no-such-message", "bad-id", "no-workspace"].contains(problem.code) else { return problem }
        var problem = problem
        problem.next.insert("opus show ./\(name) (the file)", at: 0)
        return problem
    }

    /// Shows the content of the store, without connecting to the account.
    private func show(in session: Session, _ console: Console) async throws {
        if raw { return console.print(bytes: try await session.messages.raw(message)) }
        if html || structure || part != nil || save != nil {
            return try show(try await session.messages.opened(message), console)
        }
        let view = try session.messages.view(message)
        if console.isJSON { return try console.print(json: ShowDocument(view, zone: session.zone)) }
        if text { return console.print(TerminalText.block(view.text)) }
        let output = MessageOutput(console: console)
        if headers { output.show(view.headers) } else { output.show(view, session) }
        console.print("")
        output.show(text: view.text, isTruncated: view.isTruncated, view.line.facts.attachments)
    }

    private func show(_ opened: OpenMessage, _ console: Console) throws {
        if raw { return console.print(bytes: opened.bytes) }
        if let part { return console.print(bytes: try opened.part(part)) }
        if let save { return try list(try opened.saveAttachments(to: save), console) }
        if console.isJSON {
            return try console.print(json: MessageDocument(opened.inspection(withHeaders: headers)))
        }
        if structure {
            return StructureOutput(console: console).show(opened.structure(), withFile: false)
        }
        if text { return console.print(TerminalText.block(opened.text)) }
        if html {
            let safe = try opened.safeHTML()
            return HTMLOutput(console: console).show(html: safe.html, safe.suspectLinks)
        }
        let output = MessageOutput(console: console)
        if headers { output.show(opened.headers) } else { output.show(opened.summary(), of: opened) }
        console.print("")
        output.show(text: opened.text, isTruncated: false, opened.attachments)
    }

    private func list(_ saved: [SavedAttachment], _ console: Console) throws {
        if console.isJSON { return try console.print(json: SavedDocument(saved)) }
        for file in saved { console.print(TerminalText.line(file.path)) }
        if saved.isEmpty { console.note("The message has no attachments.") }
    }
}
