/// `Content-Disposition`, and the file name of a part. RFC 2183.
struct Disposition {
    enum Kind {
        case none
        case inline
        case attachment
    }

    var kind = Kind.none
    /// The word of the field, in lower case.
    var word = ""
    var parameters = Parameters()
}

extension ParsedMessage {
    /// An unknown kind counts as an attachment. RFC 2183 §2.8.
    func disposition(of part: Part) -> Disposition {
        guard let range = part.dispositionField else { return Disposition() }
        let body = bytes[range]
        let semicolon = body.firstIndex(of: ASCII.semicolon) ?? body.endIndex
        let word = body[..<semicolon].trimmed
        if word.contains(ASCII.equals) {
            // `Content-Disposition: filename=a.zip` has a file name but no kind.
            return Disposition(kind: .attachment, parameters: Parameters(body, limit: limits.parameters))
        }
        let kind: Disposition.Kind = word.isWord("inline") ? .inline : word.isEmpty ? .none : .attachment
        return Disposition(
            kind: kind, word: word.lowercasedText,
            parameters: Parameters(body[semicolon...], limit: limits.parameters))
    }

    /// `inline`, `attachment`, or an unknown word, in lower case; nil: no field.
    public func dispositionWord(of part: Part) -> String? {
        let word = disposition(of: part).word
        return word.isEmpty ? nil : HeaderText.clean(word)
    }

    /// The parameters of `Content-Disposition`; none without the field.
    public func dispositionParameters(of part: Part) -> Parameters { disposition(of: part).parameters }

    /// `filename` of the disposition, otherwise `name` of the type, otherwise empty. It is the sender's text and not
    /// safe as a file name.
    public func fileName(of part: Part) -> String { fileName(of: part, disposition(of: part)) }

    func fileName(of part: Part, _ disposition: Disposition) -> String {
        disposition.parameters["filename"] ?? part.contentType.parameters["name"] ?? ""
    }

    /// The file name; for an attached message without one, its subject and `.eml`.
    func attachmentName(of part: Part, _ disposition: Disposition) -> String {
        let name = fileName(of: part, disposition)
        guard name.isEmpty, part.contentType.isMessage else { return name }
        let header =
            part.children.first.map { bytes[parts[$0].headerRange] }
            ?? decodedStart(of: part, limit: limits.headerBlock)[...]
        let subject = HeaderBlock.envelope(of: header, limits: limits).subject
        return subject.isEmpty ? "" : TextLines.capped(subject, to: 200) + ".eml"
    }

    /// Without its angle brackets.
    public func contentID(of part: Part) -> String? {
        guard let range = part.contentIDField else { return nil }
        var body = bytes[range].trimmed
        if body.first == ASCII.less { body = body.dropFirst() }
        if body.last == ASCII.greater { body = body.dropLast() }
        return body.isEmpty ? nil : HeaderText.clean(body.text)
    }
}
