import Models

/// Text of an old message in a new one.
extension MessageBuilder {
    /// The user's note, then the summary and the readable text of the forwarded message.
    ///
    /// All lines are plain text: nothing in the old message can become a header field.
    ///
    /// The date is in the zone of the user, as in a reply. `isWhole`: otherwise the text is cut, and its last line says that
    /// the whole message is attached.
    private static func forwardedText(
        note: String, of original: ParsedMessage, isWhole: Bool, zoneOffsetSeconds: Int
    ) -> String {
        let envelope = original.envelope
        var lines: [String] = []
        if !note.isEmpty { lines += [note, ""] }
        lines.append(forwardedMark)
        lines.append("From: \(list(envelope.from))")
        if let date = envelope.date {
            lines.append("Date: \(MailDate.write(date, offsetSeconds: zoneOffsetSeconds))")
        }
        lines.append("Subject: \(envelope.subject)")
        if !envelope.to.isEmpty { lines.append("To: \(list(envelope.to))") }
        if !envelope.cc.isEmpty { lines.append("Cc: \(list(envelope.cc))") }
        lines.append("")
        let text = original.text(withReports: true)
        let shown =
            isWhole ? text : TextLines.capped(text, to: QuotedText.byteLimit) + "\n\n" + cutMark + "\n"
        return lines.joined(separator: "\n") + "\n" + shown
    }

    private static let cutMark = "[This is not all: the whole message is attached as \(wholeName)]"
    private static let wholeName = "message.eml"

    /// The line above a forwarded message.
    public static let forwardedMark = "---------- Forwarded message ----------"

    /// Adds the forwarded message below the note, and its files as attachments. A message that opus does not read to its end
    /// is attached as a whole instead.
    public mutating func forwardInline(
        _ original: ParsedMessage, note: String, zoneOffsetSeconds: Int = 0
    ) {
        let isWhole = !MessageText(of: original, withReports: true).isCut && !original.isBeyondLimits
        text = Self.forwardedText(
            note: note, of: original, isWhole: isWhole, zoneOffsetSeconds: zoneOffsetSeconds)
        guard isWhole else {
            files.append(
                File(name: Self.wholeName, contentType: "message/rfc822", bytes: original.bytes))
            return
        }
        for attachment in original.attachments {
            guard let bytes = original.decodedBody(section: attachment.section) else { continue }
            let name = File.shortName(Self.lastComponent(HeaderText.clean(attachment.name)))
            files.append(
                File(
                    attachment, of: original, name: name.isEmpty ? Self.defaultName(attachment) : name,
                    type: Self.writable(attachment.contentType), bytes: bytes))
        }
    }

    /// `Fwd: …`, only once; see ``SubjectPrefix``.
    public static func forwardedSubject(_ subject: String) -> String { SubjectPrefix.forward(subject) }

    private static func writable(_ contentType: String) -> String {
        do { return try BodyWriter.contentType(contentType) } catch { return "application/octet-stream" }
    }

    /// Without the folders that a sender put in front: `../../report.pdf`, `C:\Users\report.pdf`.
    private static func lastComponent(_ name: String) -> String {
        let name = name.unicodeScalars.split { $0 == "/" || $0 == "\\" }.last ?? Substring().unicodeScalars
        let isPlace = name.allSatisfy { $0 == "." || $0 == " " }
        return isPlace ? "" : String(Substring(name))
    }

    /// With the extension of its type, so that the recipient can open it.
    private static func defaultName(_ attachment: Attachment) -> String {
        if attachment.contentType == "message/rfc822" { return "message.eml" }
        let ending = endings[attachment.contentType].map { "." + $0 } ?? ""
        return "attachment-" + attachment.section + ending
    }

    private static let endings = [
        "application/pdf": "pdf", "application/zip": "zip", "image/gif": "gif", "image/jpeg": "jpg",
        "image/png": "png", "image/svg+xml": "svg", "image/webp": "webp", "text/calendar": "ics",
        "text/csv": "csv",
        "text/html": "html", "text/plain": "txt", "text/vcard": "vcf", "text/x-vcard": "vcf",
    ]

    private static func list(_ addresses: [EmailAddress]) -> String {
        addresses.prefix(20).map(\.description).joined(separator: ", ") + (addresses.count > 20 ? ", …" : "")
    }
}
