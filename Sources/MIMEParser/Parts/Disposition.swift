/// `Content-Disposition`, and the names that a part has. RFC 2183.
struct Disposition {
    enum Kind {
        case none
        case inline
        case attachment
    }

    var kind = Kind.none
    /// As the field has it, lower case.
    var word = ""
    var parameters = Parameters()
}

extension ParsedMessage {
    /// An unknown kind counts as attachment. RFC 2183 §2.8.
    func disposition(of part: Part) -> Disposition {
        guard let range = part.dispositionField else { return Disposition() }
        let body = bytes[range]
        let semicolon = body.firstIndex(of: ASCII.semicolon) ?? body.endIndex
        let word = body[..<semicolon].trimmed
        if word.contains(ASCII.equals) {
            // `Content-Disposition: filename=a.zip` names a file and forgets to say what for.
            return Disposition(kind: .attachment, parameters: Parameters(body, limit: limits.parameters))
        }
        let kind: Disposition.Kind = word.isWord("inline") ? .inline : word.isEmpty ? .none : .attachment
        return Disposition(
            kind: kind, word: word.lowercasedText,
            parameters: Parameters(body[semicolon...], limit: limits.parameters))
    }

    /// `inline`, `attachment`, or an unknown word, in lower case; nil without one.
    public func dispositionWord(of part: Part) -> String? {
        let word = disposition(of: part).word
        return word.isEmpty ? nil : HeaderText.clean(word)
    }

    /// The parameters of `Content-Disposition`; none without the field.
    public func dispositionParameters(of part: Part) -> Parameters { disposition(of: part).parameters }

    /// `filename` of the disposition, else `name` of the type, else empty. As the sender wrote it: no safe file name.
    public func fileName(of part: Part) -> String { fileName(of: part, disposition(of: part)) }

    func fileName(of part: Part, _ disposition: Disposition) -> String {
        disposition.parameters["filename"] ?? part.contentType.parameters["name"] ?? ""
    }

    /// Its file name; of an attached message without one the subject and `.eml`.
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
