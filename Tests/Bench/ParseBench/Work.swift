/// How much is done with a message, and what came of it.
import MIMEParser
import Models

enum Work: String, Sendable {
    /// Reads the file.
    case read
    /// And parses it: where the parts stand.
    case tree
    /// What `fast-mail-parser` does: every header, every text as a string, every file as bytes.
    case decode
    /// What opus does with a new message: the summary of the header, the readable text, names and sizes of files.
    case summary
    /// That, and the text of every HTML part, also of those that have a plain alternative.
    case full
}

/// What a worker saw. The characters keep the work from being optimised away, and show that runs agree.
struct Tally: Sendable {
    var messages = 0
    var bytes = 0
    var characters = 0
    var fileBytes = 0
    var failures = 0

    static func += (sum: inout Tally, other: Tally) {
        sum.messages += other.messages
        sum.bytes += other.bytes
        sum.characters += other.characters
        sum.fileBytes += other.fileBytes
        sum.failures += other.failures
    }

    mutating func add(_ path: String, _ work: Work) {
        guard let content = Maildir.read(path) else {
            failures += 1
            return
        }
        messages += 1
        bytes += content.count
        switch work {
        case .read: break
        case .tree: characters += MIMEParser.parse(content).parts.count
        case .decode: decode(MIMEParser.parse(content))
        case .summary: summarise(MIMEParser.parse(content))
        case .full:
            let message = MIMEParser.parse(content)
            summarise(message)
            convertHTML(message)
        }
    }

    private mutating func decode(_ message: ParsedMessage) {
        for field in message.headers { characters += field.body.utf8.count }
        for part in message.parts where part.children.isEmpty {
            if part.contentType.type == "text" {
                let body = message.decodedBody(of: part)
                characters += Charset.decode(body, label: part.contentType.charset).utf8.count
            } else {
                fileBytes += message.decodedBody(of: part).count
            }
        }
    }

    private mutating func summarise(_ message: ParsedMessage) {
        let envelope = message.envelope
        characters += envelope.subject.utf8.count + message.text().utf8.count
        for address in envelope.from + envelope.to + envelope.cc { characters += address.domain.utf8.count }
        characters += envelope.references.count + (envelope.messageID == nil ? 0 : 1)
        characters += envelope.date == nil ? 0 : 1
        for attachment in message.attachments {
            characters += attachment.name.utf8.count
            fileBytes += attachment.size
        }
    }

    private mutating func convertHTML(_ message: ParsedMessage) {
        for part in message.parts where part.contentType.type == "text" && part.contentType.subtype == "html"
        {
            characters += message.text(of: part).utf8.count
        }
    }
}
