import Models

/// Which parts users see as files, and under which name.
extension ParsedMessage {
    /// The part as a file, or nil when it is text to be read or a box for other parts.
    func attachment(_ part: Part) -> Attachment? {
        guard isFile(part) else { return nil }
        let disposition = disposition(of: part)
        return Attachment(
            name: fileName(of: part, disposition), contentType: part.contentType.description,
            size: decodedSize(of: part), section: part.section.description, contentID: contentID(of: part),
            isInline: disposition.kind == .inline || (disposition.kind == .none && isRelated(part)))
    }

    /// A text that stands in the message and not beside it.
    func isInlineText(_ part: Part) -> Bool {
        // A multipart without parts is nothing but the text in it.
        if part.contentType.isMultipart { return part.children.isEmpty }
        return part.contentType.type == "text" && !isFile(part)
    }

    private func isFile(_ part: Part) -> Bool {
        // Parts of an attached message are inside that file.
        if part.isContainer { return part.contentType.isMessage && !isInsideMessage(part) }
        guard !isInsideMessage(part), !part.contentType.isMultipart else { return false }
        if isSignature(part) { return false }
        let disposition = disposition(of: part)
        if part.parent == nil, part.contentType.isReadable { return disposition.kind == .attachment }
        if disposition.kind == .attachment || !fileName(of: part, disposition).isEmpty { return true }
        // What a mail system tells another about a delivery is for machines. RFC 6522 §3.
        if part.contentType.isReadable || parentSubtype(part) == "report" { return false }
        // Other renderings of the same text, but an invitation is more than that.
        let isRendering = part.contentType.type == "text" && parentSubtype(part) == "alternative"
        return !isRendering || part.contentType.subtype == "calendar"
    }

    private func isInsideMessage(_ part: Part) -> Bool {
        var current = part.parent
        while let index = current {
            if parts[index].contentType.isMessage { return true }
            current = parts[index].parent
        }
        return false
    }

    /// The second part of multipart/signed is no file that anybody opens.
    private func isSignature(_ part: Part) -> Bool {
        parentSubtype(part) == "signed" && part.contentType.type == "application"
            && part.contentType.subtype.hasSuffix("signature")
    }

    private func isRelated(_ part: Part) -> Bool {
        parentSubtype(part) == "related" && part.contentIDField != nil
    }

    private func parentSubtype(_ part: Part) -> String? {
        part.parent.map { parts[$0].contentType.subtype }
    }

    // MARK: Fields

    struct Disposition {
        enum Kind {
            case none
            case inline
            case attachment
        }

        var kind = Kind.none
        var parameters = Parameters()
    }

    /// `Content-Disposition`. A kind that nobody knows counts as attachment. RFC 2183 §2.8.
    func disposition(of part: Part) -> Disposition {
        guard let range = part.dispositionField else { return Disposition() }
        let body = bytes[range]
        let semicolon = body.firstIndex(of: ASCII.semicolon) ?? body.endIndex
        let word = body[..<semicolon].trimmed
        let kind: Disposition.Kind = word.isWord("inline") ? .inline : word.isEmpty ? .none : .attachment
        return Disposition(
            kind: kind, parameters: Parameters(body[semicolon...], limit: limits.parameters))
    }

    /// `filename` of the disposition, else `name` of the type. As the sender wrote it: no safe file name.
    private func fileName(of part: Part, _ disposition: Disposition) -> String {
        disposition.parameters["filename"] ?? part.contentType.parameters["name"] ?? ""
    }

    private func contentID(of part: Part) -> String? {
        guard let range = part.contentIDField else { return nil }
        var body = bytes[range].trimmed
        if body.first == ASCII.less { body = body.dropFirst() }
        if body.last == ASCII.greater { body = body.dropLast() }
        return body.isEmpty ? nil : HeaderText.clean(body.text)
    }
}
