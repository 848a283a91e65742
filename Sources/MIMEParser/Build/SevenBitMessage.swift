/// A message for a server that does not accept 8-bit bytes: their parts become quoted-printable or base64. RFC 6152 §3.
///
/// Nothing else changes. The parts of a signed or encrypted message must stay as they are (RFC 1847 §2.1), and so must
/// header fields and reports.
public enum SevenBitMessage {
    /// nil: 8-bit bytes would remain.
    public static func converted(_ message: [UInt8]) -> [UInt8]? {
        let parsed = MIMEParser.parse(BodyWriter.withCRLF(message))
        guard !parsed.isBeyondLimits, !parsed.defects.contains(where: { $0.name == .repeatedContentField })
        else {
            return nil
        }
        var writer = SevenBitWriter(parsed)
        let bytes = writer.write()
        return bytes.contains { $0 >= 0x80 } ? nil : bytes
    }
}

private struct SevenBitWriter {
    private let message: ParsedMessage
    private var output: [UInt8] = []
    /// Up to here, the message is in the output.
    private var position = 0

    init(_ message: ParsedMessage) { self.message = message }

    mutating func write() -> [UInt8] {
        let hasVersion = !message.rawHeader("MIME-Version").isEmpty
        for part in message.parts where !isProtected(part) {
            if part.isContainer {
                if isLabelledEightBit(part) { change(part, to: "7bit") }
            } else if message.bytes[part.bodyRange].contains(where: { $0 >= 0x80 }) {
                encode(part, declaringVersion: part.parent == nil && !hasVersion)
            }
        }
        output += message.bytes[position...]
        return output
    }

    /// Whether it is a signed or encrypted part, or in one.
    private func isProtected(_ part: Part) -> Bool {
        var current: Int? = part.index
        while let index = current {
            let type = message.parts[index].contentType
            if type.isMultipart, type.subtype == "signed" || type.subtype == "encrypted" { return true }
            current = message.parts[index].parent
        }
        return false
    }

    private func isLabelledEightBit(_ part: Part) -> Bool {
        ["8bit", "binary"].contains(message.transferEncodingWord(of: part))
    }

    private mutating func encode(_ part: Part, declaringVersion: Bool) {
        let type = part.contentType
        guard part.transferEncoding == .identity, !type.isMultipart, type.type != "message" else { return }
        let body = Array(message.bytes[part.bodyRange])
        let quoted = type.type == "text" ? QuotedPrintable.encode(body) : []
        let isReadable = !quoted.isEmpty && quoted.count <= 2 * body.count
        change(part, to: isReadable ? "quoted-printable" : "base64", declaringVersion: declaringVersion)
        copy(upTo: part.bodyRange.lowerBound)
        output += isReadable ? quoted : Base64.encode(body, lineLength: 76)
        position = part.bodyRange.upperBound
        if !isReadable, position == message.bytes.count { output += [ASCII.cr, ASCII.lf] }
    }

    /// Replaces the field, or adds it at the end of the header.
    private mutating func change(_ part: Part, to encoding: String, declaringVersion: Bool = false) {
        if let field = part.encodingField {
            let word = message.bytes[field].trimmed
            copy(upTo: word.startIndex)
            output += encoding.utf8
            position = word.endIndex
        }
        var fields = part.encodingField == nil ? "Content-Transfer-Encoding: \(encoding)\r\n" : ""
        if declaringVersion { fields += "MIME-Version: 1.0\r\n" }
        guard !fields.isEmpty else { return }
        let header = message.bytes[part.headerRange]
        let isEnded =
            header.elementsEqual([ASCII.cr, ASCII.lf]) || header.suffix(4).elementsEqual("\r\n\r\n".utf8)
        copy(upTo: isEnded ? header.endIndex - 2 : header.endIndex)
        output += fields.utf8
        if !isEnded { output += [ASCII.cr, ASCII.lf] }
    }

    private mutating func copy(upTo end: Int) {
        guard end > position else { return }
        output += message.bytes[position..<end]
        position = end
    }
}
