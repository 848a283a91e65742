public import Models

/// A draft read back: the values that the user may continue to edit.
extension MessageBuilder {
    /// The field by which a draft is known again, whatever another program made of it: the Message-ID that it will be
    /// sent under.
    public static let draftField = "X-Opus-Draft"
    /// The field in which a draft says when to ask again for its answer, as a date phrase. It never leaves with the mail.
    public static let waitField = "X-Opus-Wait"
    /// Our mark on what no person has read before it was sent: the address that sent it.
    public static let loopField = "X-Opus-Loop"

    /// The values of a message that lies in a folder of drafts. HTML becomes text; files and attached messages stay.
    public init(draft: ParsedMessage, from: EmailAddress, date: Timestamp, messageID: MessageID) {
        let envelope = draft.envelope
        self.init(
            from: envelope.from.first ?? from, to: envelope.to, subject: envelope.subject, text: draft.text(),
            date: date, messageID: messageID)
        cc = envelope.cc
        bcc = envelope.bcc
        replyTo = envelope.replyTo
        inReplyTo = envelope.inReplyTo.first
        references = envelope.references
        if draft.calendarMethod == "REPLY", let bytes = draft.calendar(limit: 1 << 20) {
            calendar = Calendar(method: "REPLY", text: String(decoding: bytes, as: UTF8.self))
        }
        for attachment in draft.attachments {
            if calendar != nil, attachment.contentType == "text/calendar" { continue }
            guard let bytes = draft.decodedBody(section: attachment.section) else { continue }
            files.append(
                File(
                    name: HeaderText.clean(attachment.name).isEmpty
                        ? "attachment-" + attachment.section : HeaderText.clean(attachment.name),
                    contentType: attachment.contentType, bytes: bytes))
        }
    }
}

/// A draft on its way out: its body byte for byte, its header without what is only for us.
///
/// The trap: a lone CR or LF in a field would be a line break, and so a field, to some server. Line ends are made CRLF
/// first, and only then is it read who gets the mail: what was shown is what is sent.
public struct OutgoingDraft: Sendable {
    public let message: [UInt8]
    public let messageID: MessageID
    public let from: EmailAddress?
    /// To, Cc and Bcc, each once.
    public let recipients: [EmailAddress]
    public let envelope: Envelope

    /// Gives the message its own Message-ID and Date; takes out Bcc and the notes of mail programs.
    public init(_ draft: [UInt8], messageID: MessageID, date: Timestamp, zoneOffsetSeconds: Int) {
        let bytes = BodyWriter.withCRLF(draft)
        let parsed = MIMEParser.parse(bytes)
        envelope = parsed.envelope
        from = envelope.from.first
        self.messageID = messageID
        var seen: Set<String> = []
        recipients = (envelope.to + envelope.cc + envelope.bcc).filter { seen.insert($0.comparable).inserted }
        var header = Array(
            "Date: \(MailDate.write(date, offsetSeconds: zoneOffsetSeconds))\r\nMessage-ID: <\(messageID)>\r\n"
                .utf8)
        for field in parsed.fields where !Self.isPrivate(bytes[field.name].lowercasedText) {
            header += bytes[field.name] + [ASCII.colon] + bytes[field.body]
            if !header.suffix(2).elementsEqual([ASCII.cr, ASCII.lf]) { header += [ASCII.cr, ASCII.lf] }
        }
        message = header + [ASCII.cr, ASCII.lf] + bytes[parsed.headerRange.upperBound...]
    }

    private static func isPrivate(_ name: String) -> Bool {
        ["bcc", "date", "message-id", "return-path", "received", "x-unsent", "status", "x-status"].contains(
            name)
            || ["x-opus-", "x-mozilla-", "resent-"].contains { name.hasPrefix($0) }
    }
}
