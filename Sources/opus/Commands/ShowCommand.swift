import ArgumentParser
import Glibc
import Models
import Pipeline

struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one message; control characters of strangers stay visible, not active.")

    @OptionGroup var global: GlobalOptions

    @Flag(name: .long, help: "Every header field.")
    var headers = false

    @Flag(name: .long, help: "The bytes as they are on the account. They may hold control characters.")
    var raw = false

    @Option(
        name: .long,
        help: ArgumentHelp("The decoded bytes of one part, by its section number.", valueName: "number"))
    var part: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Save the attachments into a folder, never over a file.", valueName: "folder"),
        completion: .directory)
    var save: String?

    @Argument(help: "A message id (opus list).")
    var id: String

    func run() async throws {
        let console = global.console()
        try await Session.with(try global.sessionOptions(), .reading) { session in
            if raw { return Self.write(try await session.raw(id)) }
            if let part { return Self.write(try await session.part(id, section: part)) }
            if let save {
                let paths = try await session.saveAttachments(id, to: save)
                for path in paths { console.print(TerminalText.line(path)) }
                if paths.isEmpty { console.note("The message has no attachments.") }
                return
            }
            let view = try session.view(id)
            if console.isJSON { return try console.print(json: MessageDocument(view, zone: session.zone)) }
            show(view, session, console)
        }
    }

    private static func write(_ bytes: [UInt8]) {
        var offset = 0
        while offset < bytes.count {
            let count = bytes[offset...].withUnsafeBytes {
                Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count)
            }
            guard count > 0 else { return }
            offset += count
        }
    }

    private func show(_ view: MessageView, _ session: Session, _ console: Console) {
        let facts = view.line.facts
        let style = console.style
        let when = When(zone: session.zone, now: session.now)
        if headers {
            for field in view.headers {
                console.print(
                    style.bold(TerminalText.line(field.name)) + ": " + TerminalText.line(field.body))
            }
        } else {
            let field = { (name: String, text: String) in
                if !text.isEmpty {
                    console.print(style.dim(TerminalText.padded(name, to: 10)) + TerminalText.line(text))
                }
            }
            field("From", facts.from.map(\.description).joined(separator: ", "))
            field("To", facts.to.map(\.description).joined(separator: ", "))
            field("Cc", facts.cc.map(\.description).joined(separator: ", "))
            field("Date", when.moment(facts.date))
            field("Subject", facts.subject)
            field("In", view.mailboxes.joined(separator: ", "))
            field("Id", "m:\(view.line.shortID)")
        }
        console.print("")
        console.print(TerminalText.block(view.text))
        if view.isTruncated {
            console.print(style.dim("[the rest of this long message was not fetched: opus show --raw]"))
        }
        for attachment in facts.attachments {
            let name = TerminalText.line(attachment.name.isEmpty ? "(no name)" : attachment.name)
            console.print(
                style.dim("[\(attachment.section)] ") + name
                    + style.dim("  \(attachment.contentType), \(attachment.size) bytes"))
        }
    }
}

/// `opus.show/1`
struct MessageDocument: Encodable {
    var schema = "opus.show/1"
    var message: MessagesDocument.Item
    var mailboxes: [String]
    var headers: [HeaderField]
    var text: String
    var truncated: Bool

    init(_ view: MessageView, zone: ZoneClock) {
        message = MessagesDocument.Item(view.line, zone: zone)
        mailboxes = view.mailboxes
        headers = view.headers
        text = view.text
        truncated = view.isTruncated
    }
}
