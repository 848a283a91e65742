public import Models

/// The parts that users see as files, and their names.
///
/// As in other mail programs, a part is a file if it is marked as an attachment, has a name, or is not text. A named
/// text inside the message (`inline`, or the first part) is shown as text and also listed. A text that is not shown, such
/// as one below a signed part, is a file.
extension ParsedMessage {
    /// The parts that users see as files, each followed by the files in it.
    public var attachments: [Attachment] {
        var list: [Attachment] = []
        var held = 0
        for part in parts where !isInsideMessage(part) {
            if let attachment = attachment(part) { list.append(attachment) }
            guard held < HeldFile.limit else { continue }
            let files = heldList(in: part).prefix(HeldFile.limit - held)
            held += files.count
            for (index, held) in files.enumerated() {
                list.append(
                    Attachment(
                        name: held.file.name, contentType: held.file.contentType, size: held.size,
                        section: "\(part.section):\(index + 1)", contentID: held.file.contentID))
            }
        }
        return list
    }

    /// The part as a file; nil: it is text to read, or contains other parts.
    func attachment(_ part: Part) -> Attachment? {
        let disposition = disposition(of: part)
        guard isFile(part, disposition) else { return nil }
        return Attachment(
            name: attachmentName(of: part, disposition), contentType: part.contentType.description,
            size: decodedSize(of: part), section: part.section.description, contentID: contentID(of: part),
            isInline: isShown(part, disposition))
    }

    /// Whether it is text inside the message.
    func isInlineText(_ part: Part) -> Bool { isInlineText(part, disposition(of: part)) }

    private func isInlineText(_ part: Part, _ disposition: Disposition) -> Bool {
        // A multipart without parts is read as text.
        if part.contentType.isMultipart { return part.children.isEmpty }
        guard part.contentType.isShownText, disposition.kind != .attachment else { return false }
        return disposition.kind == .inline || fileName(of: part, disposition).isEmpty || isFirstLeaf(part)
    }

    private func isFile(_ part: Part, _ disposition: Disposition) -> Bool {
        // Parts of an attached message belong to that file.
        if isInsideMessage(part) || part.contentType.isMultipart { return false }
        if part.isContainer { return part.contentType.isMessage }
        if isSignature(part) || isResourceFork(part) { return false }
        if part.parent == nil, part.contentType.isShownText { return disposition.kind == .attachment }
        if disposition.kind == .attachment || !fileName(of: part, disposition).isEmpty { return true }
        if part.contentType.isShownText { return ShownParts(self).leavesOut(part) }
        // A delivery report between mail systems is not a file for people. RFC 6522 §3.
        if parentSubtype(part) == "report" { return false }
        // Alternatives of the same text are not files; an invitation is.
        let isRendering = part.contentType.type == "text" && parentSubtype(part) == "alternative"
        return !isRendering || part.contentType.subtype == "calendar"
    }

    /// Whether a file is shown in the message: a text, or an image that is marked as inline or used by the HTML.
    ///
    /// Apple Mail marks every file as inline, so a document is an attachment anyway.
    private func isShown(_ part: Part, _ disposition: Disposition) -> Bool {
        if part.contentType.type == "text" {
            return isInlineText(part, disposition) && !ShownParts(self).leavesOut(part)
        }
        guard part.contentType.type == "image" else { return false }
        if disposition.kind == .inline { return true }
        return disposition.kind == .none && parentSubtype(part) == "related" && part.contentIDField != nil
    }

    // MARK: Place

    func isInsideMessage(_ part: Part) -> Bool {
        var current = part.parent
        while let index = current {
            if parts[index].contentType.isMessage { return true }
            current = parts[index].parent
        }
        return false
    }

    /// Whether it is the first part, which usually has the text of the message.
    private func isFirstLeaf(_ part: Part) -> Bool {
        var current = part
        while let parent = current.parent {
            guard parts[parent].children.first == current.index else { return false }
            current = parts[parent]
        }
        return true
    }

    /// Whether it is the second part of multipart/signed, which is not a file for people.
    private func isSignature(_ part: Part) -> Bool {
        parentSubtype(part) == "signed" && part.contentType.type == "application"
            && part.contentType.subtype.hasSuffix("signature")
    }

    /// Data that a Mac keeps with a file. RFC 1740 §5.
    private func isResourceFork(_ part: Part) -> Bool {
        part.contentType.subtype == "applefile" && parentSubtype(part) == "appledouble"
    }

    private func parentSubtype(_ part: Part) -> String? {
        part.parent.map { parts[$0].contentType.subtype }
    }
}

extension ContentType {
    /// Whether people read it in the message. Unknown kinds of text are read as plain text. RFC 2046 §4.1.4.
    var isShownText: Bool { type == "text" && (isReadable || !Self.fileTexts.contains(subtype)) }

    /// Kinds of text that are files, or data for programs.
    private static let fileTexts: Set<String> = [
        "calendar", "css", "csv", "directory", "javascript", "rfc822-headers", "rtf", "tab-separated-values",
        "vcard", "watch-html", "x-amp-html", "x-vcalendar", "x-vcard", "x-watch-html", "xml",
    ]
}
