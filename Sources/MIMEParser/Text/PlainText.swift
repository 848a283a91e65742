/// The readable text of one part.
extension ParsedMessage {
    /// The text of a text part: decoded, LF line ends, HTML and enriched text as readable text, at most ``MIMELimits/text`` bytes.
    public func text(of part: Part) -> String {
        guard part.contentType.isHTML else {
            return plainText(of: part, decoded: decodedBody(of: part, limit: limits.text))
        }
        return HTMLText.convert(html(of: part), limit: limits.text)
    }

    /// `decoded`: the bytes of the part without transfer encoding, up to ``MIMELimits/text``.
    ///
    /// Files inside the text are removed, because they are attachments. Flowed lines become paragraphs.
    func plainText(of part: Part, decoded: [UInt8]) -> String {
        let label = part.contentType.charset
        let text = TextLines.normalised(Charset.decode(withoutBlocks(decoded, of: part), label: label))
        if let plain = EnrichedText.plain(text, part.contentType, limit: limits.text) { return plain }
        let parameters = part.contentType.parameters
        guard part.contentType.isPlain, let format = parameters["format"],
            Array(format.utf8)[...].trimmed.isWord("flowed")
        else { return text }
        let deletesSpace = parameters["delsp"].map { Array($0.utf8)[...].trimmed.isWord("yes") } ?? false
        return FlowedText.paragraphs(of: text, deletesSpace: deletesSpace)
    }

    private func withoutBlocks(_ decoded: [UInt8], of part: Part) -> [UInt8] {
        guard limits.opensFiles, HeldBlocks.mark(in: decoded[...], from: 0) != nil else { return decoded }
        // Text may follow a file that is longer than the limit.
        let isCut = decoded.count == limits.text
        let isEncoded = part.transferEncoding.isEncoded && !part.isContainer
        let whole = isCut ? (isEncoded ? decodedBody(of: part)[...] : bytes[part.bodyRange]) : decoded[...]
        let blocks = HeldBlocks.find(in: whole, keepsBytes: false)
        guard !blocks.isEmpty else { return decoded }
        return HeldBlocks.textOutside(blocks, of: whole, limit: limits.text)
    }
}
