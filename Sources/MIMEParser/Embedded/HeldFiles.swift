/// Files inside parts. Nothing is cached, so call these functions once.
extension ParsedMessage {
    /// The decoded bytes of a part: `2`, `1.2.3`, or `""` for the message itself.
    ///
    /// For a multipart, the bytes between its header and its end.
    public func decodedBody(section: String) -> [UInt8]? {
        if section.utf8.contains(ASCII.colon) { return heldBody(section: section) }
        guard let path = SectionPath(section) else { return nil }
        if path.numbers.isEmpty { return bytes }
        return part(at: path).map { decodedBody(of: $0) }
    }

    /// The files in a winmail.dat or inside an S/MIME signature, or the uuencode and yEnc blocks of a displayed text; at
    /// most 256.
    public func heldFiles(in part: Part) -> [HeldFile] {
        if isTNEF(part) { return limits.opensFiles ? TNEF(decodedBody(of: part)).files : [] }
        if let enclosed = EnclosedMessage(part, of: self) { return enclosed.files }
        return heldBlocks(in: part, keepsBytes: true).map(\.file)
    }

    /// The same files with their sizes, for a list.
    func heldList(in part: Part) -> [(file: HeldFile, size: Int)] {
        if isTNEF(part) || part.contentType.mayEncloseContent {
            return heldFiles(in: part).map { ($0, $0.bytes.count) }
        }
        return heldBlocks(in: part, keepsBytes: false).map { ($0.file, $0.size) }
    }

    /// One search over the bytes, so that mail without blocks (nearly all) costs little. The search ends after the
    /// first ``MIMELimits/text`` bytes of an encoded text; most longer ones are not text.
    private func heldBlocks(in part: Part, keepsBytes: Bool) -> [HeldBlocks.Block] {
        guard limits.opensFiles, !part.contentType.isHTML,
            isInlineText(part) || part.transferEncoding == .unknown
        else {
            return []
        }
        guard part.transferEncoding.isEncoded, !part.isContainer else {
            return HeldBlocks.find(in: bytes[part.bodyRange], keepsBytes: keepsBytes)
        }
        if part.transferEncoding == .quotedPrintable {
            guard HeldBlocks.mark(in: bytes[part.bodyRange], from: part.bodyRange.lowerBound) != nil else {
                return []
            }
        }
        var text = decodedStart(of: part, limit: limits.text)
        guard HeldBlocks.mark(in: text[...], from: 0) != nil else { return [] }
        if text.count == limits.text { text = decodedBody(of: part) }
        return HeldBlocks.find(in: text[...], keepsBytes: keepsBytes)
    }

    /// The bytes of a held file, by its address such as `2:1`.
    func heldBody(section: String) -> [UInt8]? {
        let pieces = section.utf8.split(separator: ASCII.colon, omittingEmptySubsequences: false)
        guard pieces.count == 2, pieces[1].count <= 4, pieces[1].allSatisfy(\.isDigit),
            let path = SectionPath(String(Substring(pieces[0]))), let number = Int(Substring(pieces[1])),
            let part = part(at: path)
        else { return nil }
        let files = heldFiles(in: part)
        return files.indices.contains(number - 1) ? files[number - 1].bytes : nil
    }

    /// A message/rfc822 in base64 or quoted-printable, or the content of an S/MIME signature, decoded and parsed; nil: any
    /// other part.
    ///
    /// RFC 2046 §5.2.1 forbids this encoding, so IMAP gives the inner parts no numbers: the message is one file with
    /// one section.
    public func embeddedMessage(in part: Part) -> ParsedMessage? {
        if let enclosed = EnclosedMessage(part, of: self) { return enclosed.content }
        guard part.contentType.isMessage, !part.isContainer else { return nil }
        switch part.transferEncoding {
        case .base64, .quotedPrintable: return parse(decodedBody(of: part), limits: limits)
        case .identity, .unknown: return nil
        }
    }

    /// Whether the part is Outlook's `winmail.dat`; its type is often wrong.
    func isTNEF(_ part: Part) -> Bool {
        guard part.contentType.type == "application" else { return false }
        if part.contentType.subtype == "ms-tnef" || part.contentType.subtype == "vnd.ms-tnef" { return true }
        guard part.contentType.subtype == "octet-stream" else { return false }
        return Array(fileName(of: part).utf8.prefix(16))[...].isWord("winmail.dat")
    }
}
