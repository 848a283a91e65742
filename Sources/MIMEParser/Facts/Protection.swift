/// Whether a message claims to be signed or encrypted. opus does not verify it here.
public enum Protection: String, Hashable, Sendable, CaseIterable {
    case signed
    case encrypted
}

extension ParsedMessage {
    /// From multipart/signed and /encrypted (RFC 1847), application/pkcs7-mime (RFC 8551 §3.2), or PGP armour in the
    /// text.
    ///
    /// The outermost one counts, because a signature inside an encrypted part is not visible. Attached messages do not
    /// count.
    public var protection: Protection? {
        for part in parts where !isInsideMessage(part) {
            if let found = Protection.read(part, in: self) { return found }
        }
        return nil
    }
}

extension Protection {
    fileprivate static func read(_ part: Part, in message: ParsedMessage) -> Protection? {
        let type = part.contentType
        switch (type.type, type.subtype) {
        case ("multipart", "signed"): return .signed
        case ("multipart", "encrypted"): return .encrypted
        case _ where type.isCMS: return readCMS(part, in: message)
        case ("text", _):
            return type.isHTML || !message.isInlineText(part) ? nil : readArmour(of: part, in: message)
        case _: return nil
        }
    }

    /// Without `smime-type`, the content or the file name decides; `smime.p7m` alone usually means encrypted.
    private static func readCMS(_ part: Part, in message: ParsedMessage) -> Protection? {
        switch part.contentType.parameters["smime-type"]?.lowercased() {
        case "signed-data": return .signed
        case "compressed-data", "certs-only": return nil
        case .some: return .encrypted
        case nil where message.fileName(of: part).lowercased().hasSuffix(".p7c"): return nil
        case nil: return EnclosedMessage(part, of: message) == nil ? .encrypted : .signed
        }
    }

    /// A `-----BEGIN PGP` line of the text itself; quoted lines do not count. RFC 9580 §6.2, §7.
    private static func readArmour(of part: Part, in message: ParsedMessage) -> Protection? {
        if part.transferEncoding == .base64 {
            let decoded = message.decodedStart(of: part, limit: 64 * 1_024)
            return readArmour(LineReader(decoded), 0..<decoded.count)
        }
        return readArmour(LineReader(message.bytes), part.bodyRange)
    }

    private static func readArmour(_ lines: LineReader, _ range: Range<Int>) -> Protection? {
        var position = range.lowerBound
        while let dashed = lines.dashedLine(from: position), dashed < range.upperBound {
            let line = lines.line(at: dashed, limit: range.upperBound)
            let content = lines.bytes[line.start..<line.end].trimmed
            if content.isWord("-----begin pgp message-----") { return .encrypted }
            if content.isWord("-----begin pgp signed message-----") { return .signed }
            position = line.next
        }
        return nil
    }
}
