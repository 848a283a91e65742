public import Models

/// Which parts users see as files, and under which name.
///
/// As mail programs show them: what is marked as attachment or has a name is a file, and so is all that is not text.
/// A text with a name that is in the message (`inline`, or first of all) is read there and listed too.
extension ParsedMessage {
    /// The parts that users see as files, each followed by the files that it holds.
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

    /// The part as a file, or nil when it is text to be read or a box for other parts.
    func attachment(_ part: Part) -> Attachment? {
        let disposition = disposition(of: part)
        guard isFile(part, disposition) else { return nil }
        return Attachment(
            name: attachmentName(of: part, disposition), contentType: part.contentType.description,
            size: decodedSize(of: part), section: part.section.description, contentID: contentID(of: part),
            isInline: isShown(part, disposition))
    }

    /// A text in the message and not beside it.
    func isInlineText(_ part: Part) -> Bool { isInlineText(part, disposition(of: part)) }

    private func isInlineText(_ part: Part, _ disposition: Disposition) -> Bool {
        // A multipart without parts is nothing but the text in it.
        if part.contentType.isMultipart { return part.children.isEmpty }
        guard part.contentType.isShownText, disposition.kind != .attachment else { return false }
        return disposition.kind == .inline || fileName(of: part, disposition).isEmpty || isFirstLeaf(part)
    }

    private func isFile(_ part: Part, _ disposition: Disposition) -> Bool {
        // Parts of an attached message are inside that file.
        if isInsideMessage(part) || part.contentType.isMultipart { return false }
        if part.isContainer { return part.contentType.isMessage }
        if isSignature(part) || isResourceFork(part) { return false }
        if part.parent == nil, part.contentType.isShownText { return disposition.kind == .attachment }
        if disposition.kind == .attachment || !fileName(of: part, disposition).isEmpty { return true }
        // What a mail system tells another about a delivery is for machines. RFC 6522 §3.
        if part.contentType.isShownText || parentSubtype(part) == "report" { return false }
        // Other renderings of the same text, but an invitation is more than that.
        let isRendering = part.contentType.type == "text" && parentSubtype(part) == "alternative"
        return !isRendering || part.contentType.subtype == "calendar"
    }

    /// Whether a file is seen in the message: a text, or an image that is marked so or belongs to the HTML.
    ///
    /// Apple Mail marks every file as inline; a document is an attachment anyway.
    private func isShown(_ part: Part, _ disposition: Disposition) -> Bool {
        if part.contentType.type == "text" { return isInlineText(part, disposition) }
        guard part.contentType.type == "image" else { return false }
        return disposition.kind == .inline || (disposition.kind == .none && isRelated(part))
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

    /// The first part, where the text of a message belongs.
    private func isFirstLeaf(_ part: Part) -> Bool {
        var current = part
        while let parent = current.parent {
            guard parts[parent].children.first == current.index else { return false }
            current = parts[parent]
        }
        return true
    }

    /// The second part of multipart/signed is not a file for people.
    private func isSignature(_ part: Part) -> Bool {
        parentSubtype(part) == "signed" && part.contentType.type == "application"
            && part.contentType.subtype.hasSuffix("signature")
    }

    /// What a Mac keeps beside a file. RFC 1740 §5.
    private func isResourceFork(_ part: Part) -> Bool {
        part.contentType.subtype == "applefile" && parentSubtype(part) == "appledouble"
    }

    private func isRelated(_ part: Part) -> Bool {
        parentSubtype(part) == "related" && part.contentIDField != nil
    }

    private func parentSubtype(_ part: Part) -> String? {
        part.parent.map { parts[$0].contentType.subtype }
    }
}

extension ContentType {
    /// Text that a person reads in the message. One of an unknown kind is read as plain text. RFC 2046 §4.1.4.
    var isShownText: Bool { type == "text" && (isReadable || !Self.fileTexts.contains(subtype)) }

    /// Texts that are files, facts for machines, or of no use without their program.
    private static let fileTexts: Set<String> = [
        "calendar", "css", "csv", "directory", "javascript", "rfc822-headers", "rtf", "tab-separated-values",
        "vcard", "watch-html", "x-amp-html", "x-vcalendar", "x-vcard", "x-watch-html", "xml",
    ]
}
