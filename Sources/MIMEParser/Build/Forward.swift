import Models

/// Text of an old message in a new one.
extension MessageBuilder {
    /// The user's note, then the summary and the readable text of the forwarded message.
    ///
    /// All lines are plain text: nothing in the old message can become a header field.
    public static func forwardedText(note: String, of original: ParsedMessage) -> String {
        let envelope = original.envelope
        var lines: [String] = []
        if !note.isEmpty { lines += [note, ""] }
        lines.append("---------- Forwarded message ----------")
        lines.append("From: \(list(envelope.from))")
        if let date = envelope.date { lines.append("Date: \(MailDate.write(date))") }
        lines.append("Subject: \(envelope.subject)")
        if !envelope.to.isEmpty { lines.append("To: \(list(envelope.to))") }
        if !envelope.cc.isEmpty { lines.append("Cc: \(list(envelope.cc))") }
        lines.append("")
        return lines.joined(separator: "\n") + "\n" + original.text()
    }

    /// Adds the forwarded message below the note, and its files as attachments.
    public mutating func forwardInline(_ original: ParsedMessage, note: String) {
        text = Self.forwardedText(note: note, of: original)
        for attachment in original.attachments {
            guard let bytes = original.decodedBody(section: attachment.section) else { continue }
            let name = TextLines.capped(HeaderText.clean(attachment.name), to: 200)
            files.append(
                File(
                    name: name.isEmpty ? Self.defaultName(attachment) : name,
                    contentType: Self.writable(attachment.contentType), bytes: bytes))
        }
    }

    /// `Fwd: …`, only once; see ``SubjectPrefix``.
    public static func forwardedSubject(_ subject: String) -> String { SubjectPrefix.forward(subject) }

    private static func writable(_ contentType: String) -> String {
        do { return try BodyWriter.contentType(contentType) } catch { return "application/octet-stream" }
    }

    private static func defaultName(_ attachment: Attachment) -> String {
        attachment.contentType == "message/rfc822" ? "message.eml" : "attachment-" + attachment.section
    }

    private static func list(_ addresses: [EmailAddress]) -> String {
        addresses.prefix(20).map(\.description).joined(separator: ", ") + (addresses.count > 20 ? ", …" : "")
    }
}
