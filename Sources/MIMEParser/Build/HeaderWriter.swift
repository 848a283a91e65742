import Models

/// Writes header fields: checked, encoded if necessary, folded at 78 columns. RFC 5322 §2.2.3, RFC 2047 §5.
struct HeaderWriter {
    private(set) var bytes: [UInt8] = []

    /// Trusted text with its CRLF.
    mutating func raw(_ text: String) { bytes += Array(text.utf8) }

    // MARK: Fields

    /// A field with free text.
    mutating func unstructured(_ name: String, _ text: String) throws(BuilderError) {
        try Self.refuseControls(text, field: name)
        let column = name.utf8.count + 2
        write(
            name, Self.isPlain(text) ? Self.plainWords(text) : EncodedWordWriter.words(text, column: column))
    }

    /// A field that the caller adds.
    mutating func extra(_ field: HeaderField) throws(BuilderError) {
        guard !field.name.isEmpty, field.name.utf8.count <= 76, field.name.utf8.allSatisfy(\.isHeaderName)
        else { throw BuilderError(.badFieldName, field: field.name) }
        let name = field.name.lowercased()
        guard !Self.reserved.contains(name), !name.hasPrefix("content-"), !name.hasPrefix("resent-") else {
            throw BuilderError(.reservedField, field: field.name)
        }
        try unstructured(field.name, field.body)
    }

    /// A field with addresses; no addresses: no field.
    mutating func addresses(_ name: String, _ addresses: [EmailAddress]) throws(BuilderError) {
        guard !addresses.isEmpty else { return }
        var words: [[UInt8]] = []
        for (index, address) in addresses.enumerated() {
            var mailbox = try AddressWriter.mailbox(address, field: name)
            if index + 1 < addresses.count { mailbox[mailbox.count - 1].append(ASCII.comma) }
            words += mailbox
        }
        write(name, words)
    }

    /// A field with message ids. An invalid id of the user is an error; an invalid id of a stranger is omitted.
    mutating func messageIDs(_ name: String, _ ids: [MessageID], isOwn: Bool = false) throws(BuilderError) {
        var words: [[UInt8]] = []
        for id in ids {
            try Self.refuseControls(id.rawValue, field: name, allowsTab: false)
            if Self.isMessageID(id.rawValue) {
                words.append([ASCII.less] + Array(id.rawValue.utf8) + [ASCII.greater])
            } else if isOwn {
                throw BuilderError(.badMessageID, field: name, value: id.rawValue)
            }
        }
        if !words.isEmpty { write(name, words) }
    }

    /// `Content-ID`. Some programs write bare words, and HTML refers to them, so an `@` is not required. RFC 2392.
    mutating func contentID(_ id: String) throws(BuilderError) {
        try Self.refuseControls(id, field: "Content-ID", allowsTab: false)
        guard !id.isEmpty, id.utf8.count <= 900, id.utf8.allSatisfy(Self.isIDByte) else {
            throw BuilderError(.badContentID, field: "Content-ID", value: id)
        }
        raw("Content-ID: <\(id)>\r\n")
    }

    // MARK: Folding

    /// Joins words with spaces, and begins a new line before a word that does not fit.
    private mutating func write(_ name: String, _ words: [[UInt8]]) {
        bytes += Array(name.utf8) + [ASCII.colon]
        var column = name.utf8.count + 1
        for (index, word) in words.enumerated() {
            let limit = EncodedWordWriter.isWord(word) ? 76 : 78
            if index > 0, column + 1 + word.count > limit {
                bytes += [ASCII.cr, ASCII.lf]
                column = 0
            }
            bytes.append(ASCII.space)
            bytes += word
            column += 1 + word.count
        }
        bytes += [ASCII.cr, ASCII.lf]
    }

    /// Whether the text needs no encoding: printable ASCII, single spaces, nothing that looks like an encoded word. A
    /// word that is too long for a line is encoded, because encoded words can be folded.
    static func isPlain(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.first != ASCII.space, bytes.last != ASCII.space,
            bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }), !HeaderText.mayHoldWords(bytes[...])
        else { return false }
        return bytes.split(separator: ASCII.space, omittingEmptySubsequences: false).allSatisfy {
            (bytes.isEmpty || !$0.isEmpty) && $0.count <= 900
        }
    }

    static func plainWords(_ text: String) -> [[UInt8]] {
        text.utf8.split(separator: ASCII.space).map(Array.init)
    }

    // MARK: Checks

    /// Refuses characters that would end the field, hide the rest of it, or are not text. RFC 5322 §2.2 and §3.2.5.
    static func refuseControls(
        _ text: String, field: String, allowsTab: Bool = true
    ) throws(BuilderError) {
        for (offset, byte) in text.utf8.enumerated()
        where byte.isControl && !(allowsTab && byte == ASCII.tab) {
            throw BuilderError(.controlCharacter(byte), field: field, value: text, offset: offset)
        }
    }

    /// `unique@domain`, without brackets.
    static func isMessageID(_ id: String) -> Bool {
        id.utf8.count <= 900 && id.utf8.allSatisfy(isIDByte)
            && id.utf8.dropFirst().dropLast().contains(ASCII.at)
    }

    private static func isIDByte(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && byte != ASCII.less && byte != ASCII.greater
    }

    private static let reserved: Set<String> = [
        "date", "from", "sender", "reply-to", "to", "cc", "bcc", "subject", "message-id", "in-reply-to",
        "references", "auto-submitted", "mime-version", "return-path", "received",
    ]
}
