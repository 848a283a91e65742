import Crypto
import MIMEParser
public import MailStore
import Models

extension SubjectFacts {
    /// The maximum length of a snippet, in characters.
    public static let snippetLength = 100

    /// From the header of a message and the beginning of its text.
    init(_ envelope: Envelope, headerBlock: [UInt8], text: String) {
        let base = BaseSubject.of(envelope.subject).lowercased()
        var marks: SubjectMarks = []
        if BaseSubject.isMarked(envelope.subject) { marks.insert(.reply) }
        if envelope.inReplyTo.isEmpty, envelope.references.isEmpty { marks.insert(.plain) }
        if Self.isBulk(headerBlock) { marks.insert(.bulk) }
        self.init(
            key: base.isEmpty || marks.contains(.bulk) ? 0 : Self.key(base), marks: marks,
            snippet: Self.snippet(text))
    }

    /// The first eight bytes of the SHA-256 of the base subject; never 0.
    private static func key(_ base: String) -> Int64 {
        let bytes = SHA256.hash(Array(base.utf8)).prefix(8)
        let key = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return key == 0 ? 1 : Int64(bitPattern: key)
    }

    /// The same condition as `is:bulk` in rules.
    private static func isBulk(_ headerBlock: [UInt8]) -> Bool {
        let names: Set<String> = ["list-id", "list-unsubscribe", "precedence"]
        return HeaderBlock.fields(of: headerBlock, named: names).contains { field in
            field.name.lowercased() != "precedence"
                || ["bulk", "list", "junk"].contains(
                    field.body.split(whereSeparator: \.isWhitespace).joined().lowercased())
        }
    }

    /// The first words that the writer wrote, on one line.
    public static func snippet(_ text: String) -> String {
        let beginning = text.unicodeScalars.prefix(ThreadStore.textForSnippet)
        let own = TextZones.ownText(of: String(beginning))
        var snippet = ""
        var length = 0
        var isBetween = false
        for character in own where length < snippetLength {
            if character.isWhitespace {
                isBetween = length > 0
                continue
            }
            if isBetween {
                snippet += " "
                length += 1
            }
            isBetween = false
            guard length < snippetLength else { break }
            snippet.append(character)
            length += 1
        }
        return snippet
    }
}
