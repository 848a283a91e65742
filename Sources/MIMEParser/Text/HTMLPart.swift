/// The HTML of the body.
extension ParsedMessage {
    /// The best alternative, the root of related parts, or the first HTML in the message.
    public var htmlPart: Part? {
        var stack = [root.index]
        while let index = stack.popLast() {
            let part = parts[index]
            if part.contentType.isHTML, isInlineText(part) { return part }
            guard part.isContainer, part.contentType.isMultipart else { continue }
            if part.contentType.subtype == "alternative" {
                stack += part.children
            } else {
                stack += ShownParts(self).children(of: part).reversed()
            }
        }
        return nil
    }

    /// ``htmlPart`` as text: decoded, not sanitised, at most ``MIMELimits/text`` bytes of it.
    public var html: String? { htmlPart.map(html) ?? EnclosedMessage(in: self)?.content.html }

    /// The HTML of a part, decoded with its charset, otherwise with the one declared in its head.
    func html(of part: Part) -> String {
        let decoded = decodedHTML(of: part, limit: limits.text)
        return Charset.decode(decoded, label: part.contentType.charset ?? HTMLCharset.declared(in: decoded))
    }

    /// The first bytes of an HTML part, decoded. If it is longer, the pictures inside it do not count: their data is left out.
    func decodedHTML(of part: Part, limit: Int) -> [UInt8] {
        let start = decodedBody(of: part, limit: limit)
        guard start.count == limit else { return start }
        let whole = decodedBody(of: part, limit: InlinePictures.longest)
        return whole.count < InlinePictures.longest
            ? Array(InlinePictures.removed(from: whole).prefix(limit)) : start
    }
}
