/// Defects of the bodies. The check reads all bodies, so it runs only on request.
extension ParsedMessage {
    /// Defects of bodies in the order of the parts, at most a hundred; ``defects`` has those of the structure.
    public var contentDefects: [Defect] {
        var log = DefectLog()
        let cut = ReadableText(self).read().cut
        for part in parts where !part.isContainer { log.inspect(part, of: self, isCut: part.index == cut) }
        return log.defects
    }
}

extension DefectLog {
    /// `isCut`: the text of the part was not read to its end.
    fileprivate mutating func inspect(_ part: Part, of message: ParsedMessage, isCut: Bool) {
        if isCut { add(.textTooLarge, at: part.bodyRange.lowerBound) }
        let bytes = message.bytes
        let body = part.bodyRange
        switch part.transferEncoding {
        case .base64:
            let census = bytes[body].withUnsafeBufferPointer { Base64Census(of: $0) }
            if let junk = census.firstJunk { add(.base64Junk, at: body.lowerBound + junk) }
            if census.isTruncated { add(.base64Truncated, at: body.upperBound) }
        case .quotedPrintable:
            if let bad = QuotedPrintable.firstBadCode(bytes[body]) { add(.badQuotedPrintable, at: bad) }
        case .identity, .unknown:
            if let nul = LineReader.find(ASCII.nul, in: bytes, from: body.lowerBound, to: body.upperBound) {
                add(.nulByte, at: nul)
            }
            if let cr = LineReader(bytes).strayCR(in: body) { add(.bareCR, at: cr) }
        }
        inspectText(part, of: message)
        if message.heldList(in: part).contains(where: { !$0.file.damage.isEmpty }) {
            add(.damagedHeldFile, at: body.lowerBound)
        }
    }

    private mutating func inspectText(_ part: Part, of message: ParsedMessage) {
        guard part.contentType.type == "text", let label = part.contentType.charset,
            Charset(label: label) == .utf8
        else { return }
        let text = message.decodedBody(of: part, limit: message.limits.text)
        // A text that was cut at the limit may end within a character.
        let isCut = text.count == message.limits.text
        if let bad = UTF8Check.firstInvalid(text, in: text.indices), !isCut || bad < text.count - 3 {
            // In an encoded body, the position of a byte is not that of its code.
            let isPlain = !part.transferEncoding.isEncoded
            add(.textNotUTF8, at: part.bodyRange.lowerBound + (isPlain ? bad : 0))
        }
    }
}

extension TransferEncoding {
    /// Whether the bytes in the message differ from those of the body.
    var isEncoded: Bool { self == .base64 || self == .quotedPrintable }
}
