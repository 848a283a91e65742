import Models

/// Writes header fields: checked, encoded where they must be, folded at 78 columns. RFC 5322 §2.2.3, RFC 2047 §5.
struct HeaderWriter {
    private(set) var bytes: [UInt8] = []

    /// Text of our own, with its CRLF.
    mutating func raw(_ text: String) { bytes += Array(text.utf8) }

    // MARK: Fields

    /// A field of free text.
    mutating func unstructured(_ name: String, _ text: String) throws(BuilderError) {
        try Self.refuseLineBreaks(text, field: name)
        let column = name.utf8.count + 2
        write(
            name, Self.isPlain(text) ? Self.plainWords(text) : EncodedWordWriter.words(text, column: column))
    }

    /// A field of the caller's own.
    mutating func extra(_ field: HeaderField) throws(BuilderError) {
        guard !field.name.isEmpty, field.name.utf8.count <= 76, field.name.utf8.allSatisfy(\.isHeaderName)
        else {
            throw BuilderError(.badFieldName, field: field.name, value: "")
        }
        let name = field.name.lowercased()
        guard !Self.reserved.contains(name), !name.hasPrefix("content-"), !name.hasPrefix("resent-") else {
            throw BuilderError(.reservedField, field: field.name, value: "")
        }
        try unstructured(field.name, field.body)
    }

    /// A field of addresses; none writes no field.
    mutating func addresses(_ name: String, _ addresses: [EmailAddress]) throws(BuilderError) {
        guard !addresses.isEmpty else { return }
        var words: [[UInt8]] = []
        for (index, address) in addresses.enumerated() {
            try Self.refuseLineBreaks(address.displayName, field: name)
            var mailbox = Self.phrase(address.displayName, column: name.utf8.count + 2)
            let spec = try Self.addrSpec(address, field: name)
            mailbox.append(mailbox.isEmpty ? spec : [ASCII.less] + spec + [ASCII.greater])
            if index + 1 < addresses.count { mailbox[mailbox.count - 1].append(ASCII.comma) }
            words += mailbox
        }
        write(name, words)
    }

    /// A field of message ids. Our own must be good; a stranger's that cannot be written is left out.
    mutating func messageIDs(_ name: String, _ ids: [MessageID], isOwn: Bool = false) throws(BuilderError) {
        var words: [[UInt8]] = []
        for id in ids {
            try Self.refuseLineBreaks(id.rawValue, field: name)
            let raw = Array(id.rawValue.utf8)
            let isGood =
                raw.count <= 900 && raw.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x3C && $0 != 0x3E }
                && raw.dropFirst().dropLast().contains(ASCII.at)
            guard isGood else {
                if isOwn { throw BuilderError(.badMessageID, field: name, value: id.rawValue) }
                continue
            }
            words.append([ASCII.less] + raw + [ASCII.greater])
        }
        if !words.isEmpty { write(name, words) }
    }

    // MARK: Folding

    /// Joins words by blanks and begins a new line where one would not fit.
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

    /// Whether text may stand as it is: printable ASCII, single blanks, nothing that reads as an encoded word.
    private static func isPlain(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.first != ASCII.space, bytes.last != ASCII.space,
            bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }), !HeaderText.mayHoldWords(bytes[...])
        else { return false }
        return bytes.split(separator: ASCII.space, omittingEmptySubsequences: false).allSatisfy {
            (bytes.isEmpty || !$0.isEmpty) && $0.count <= 900
        }
    }

    private static func plainWords(_ text: String) -> [[UInt8]] {
        text.utf8.split(separator: ASCII.space).map(Array.init)
    }

    // MARK: Addresses

    /// A display name: atoms, a quoted string, or encoded words. RFC 5322 §3.2.5.
    private static func phrase(_ name: String, column: Int) -> [[UInt8]] {
        guard !name.isEmpty else { return [] }
        let bytes = Array(name.utf8)
        guard isPlain(name), bytes.count <= 60 else { return EncodedWordWriter.words(name, column: column) }
        let words = plainWords(name)
        if words.allSatisfy({ $0.allSatisfy(\.isAtomText) }) { return words }
        var quoted: [UInt8] = [ASCII.quote]
        for byte in bytes {
            if byte == ASCII.quote || byte == ASCII.backslash { quoted.append(ASCII.backslash) }
            quoted.append(byte)
        }
        return [quoted + [ASCII.quote]]
    }

    /// `local@domain`, checked: this is what a server will be told to deliver to. RFC 5322 §3.4.1.
    private static func addrSpec(_ address: EmailAddress, field: String) throws(BuilderError) -> [UInt8] {
        let spec = address.addrSpec
        if let offset = spec.utf8.enumerated().first(where: { $0.element.isControl }) {
            throw BuilderError(
                .controlCharacter(offset.element), field: field, value: spec, offset: offset.offset)
        }
        guard spec.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw BuilderError(.internationalAddress, field: field, value: spec)
        }
        guard isLocalPart(Array(address.localPart.utf8)), isDomain(Array(address.domain.utf8)),
            spec.utf8.count <= 320
        else { throw BuilderError(.badAddress, field: field, value: spec) }
        return Array(spec.utf8)
    }

    private static func isLocalPart(_ local: [UInt8]) -> Bool {
        if local.count >= 3, local.first == ASCII.quote, local.last == ASCII.quote {
            var isEscaped = false
            for byte in local.dropFirst().dropLast() {
                if !isEscaped, byte == ASCII.quote { return false }
                isEscaped = !isEscaped && byte == ASCII.backslash
            }
            return !isEscaped
        }
        // Two dots in a row are wrong, and delivered by some all the same.
        return !local.isEmpty && local.allSatisfy { $0.isAtomText || $0 == ASCII.dot }
    }

    private static func isDomain(_ domain: [UInt8]) -> Bool {
        if domain.first == ASCII.leftBracket, domain.last == ASCII.rightBracket {
            return domain.count > 2
                && domain.dropFirst().dropLast().allSatisfy {
                    $0.hexValue != nil || $0.isLetter || $0 == ASCII.dot || $0 == ASCII.colon
                        || $0 == ASCII.hyphen
                }
        }
        let labels = domain.split(separator: ASCII.dot, omittingEmptySubsequences: false)
        return !domain.isEmpty
            && labels.allSatisfy { label in
                !label.isEmpty && label.count <= 63
                    && label.allSatisfy {
                        $0.isLetter || $0.isDigit || $0 == ASCII.hyphen || $0 == ASCII.underscore
                    }
            }
    }

    // MARK: Refusing

    /// What would end the field, or hide the rest of it. RFC 5322 §2.2.
    static func refuseLineBreaks(_ text: String, field: String) throws(BuilderError) {
        for (offset, byte) in text.utf8.enumerated()
        where byte == ASCII.cr || byte == ASCII.lf || byte == ASCII.nul {
            throw BuilderError(.controlCharacter(byte), field: field, value: text, offset: offset)
        }
    }

    private static let reserved: Set<String> = [
        "date", "from", "sender", "reply-to", "to", "cc", "bcc", "subject", "message-id", "in-reply-to",
        "references",
        "auto-submitted", "mime-version", "return-path", "received",
    ]
}
