public import Models

/// Reads a draft as values that the user can edit.
extension MessageBuilder {
    /// The field that identifies a draft, even after another program changed it: the Message-ID that it will be sent
    /// with.
    public static let draftField = "X-Opus-Draft"
    /// The field with the day to ask for an answer again, as a date phrase. It is never sent.
    public static let waitField = "X-Opus-Wait"
    /// The field that opus adds to mail that no person read before it was sent: the sending address.
    public static let loopField = "X-Opus-Loop"

    /// The values of a message in a Drafts mailbox. HTML becomes text; files and attached messages stay. What is inside a
    /// file does not belong to the draft.
    public init(draft content: [UInt8], from: EmailAddress, date: Timestamp, messageID: MessageID) {
        let draft = MIMEParser.parse(content, limits: .ownMail)
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
                    attachment, of: draft,
                    name: HeaderText.clean(attachment.name).isEmpty
                        ? "attachment-" + attachment.section : HeaderText.clean(attachment.name),
                    type: attachment.contentType, bytes: bytes))
        }
    }
}

/// A draft to send: its body byte for byte, its header without fields that only opus needs.
///
/// A lone CR or LF in a field would be a line break, and so a new field, for some servers. So line ends become CRLF
/// before the recipients are read: opus sends to exactly those that it shows.
public struct OutgoingDraft: Sendable {
    public let message: [UInt8]
    public let messageID: MessageID
    public let from: EmailAddress?
    /// To, Cc and Bcc, without duplicates.
    public let recipients: [EmailAddress]
    public let envelope: Envelope
    /// The error if a recipient has no address, such as a name that another program did not resolve. Received mail is read
    /// less strictly: there, such a name is part of the next one.
    public let strayRecipient: BuilderError?

    /// Sets Message-ID and Date, and removes Bcc and the notes of mail programs.
    public init(_ draft: [UInt8], messageID: MessageID, date: Timestamp, zoneOffsetSeconds: Int) {
        let bytes = BodyWriter.withCRLF(draft)
        let parsed = MIMEParser.parse(bytes)
        envelope = parsed.envelope
        from = envelope.from.first
        strayRecipient = ["To", "Cc", "Bcc"].lazy.compactMap { Self.strayRecipient($0, parsed) }.first
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

    private static func strayRecipient(_ field: String, _ draft: ParsedMessage) -> BuilderError? {
        for body in draft.rawHeader(field) {
            var reader = TypedAddresses(HeaderText.unfolded(body).text, field: field)
            do {
                _ = try reader.read()
            } catch  where error.code == .mistyped(.noAddress) {
                return error
            } catch {
                // Other forms are read as in received mail.
                continue
            }
        }
        return nil
    }

    /// Fields that only the sender may see: hidden recipients, and what mail programs note in a draft for themselves, such
    /// as the account and the folder for the copy.
    private static func isPrivate(_ name: String) -> Bool {
        privateNames.contains(name) || privateBeginnings.contains { name.hasPrefix($0) }
    }

    private static let privateNames: Set<String> = [
        "bcc", "date", "message-id", "return-path", "received", "x-unsent", "status", "x-status", "fcc",
        "gcc",
        // Thunderbird, Roundcube, Gnus, Apple Mail
        "x-identity-key", "x-account-key", "x-draft-info", "x-draft-from", "x-uniform-type-identifier",
        "x-universally-unique-identifier",
        // Claws Mail
        "af", "nf", "ps", "srh", "sfn", "dsr", "mid", "cfg", "pt", "s", "rq", "ssv", "nsv", "ssh", "r",
        "maid",
        "naid", "scf", "rmid", "fmid",
    ]

    private static let privateBeginnings = [
        "x-opus-", "x-mozilla-", "resent-", "x-evolution-", "x-kmail-", "x-claws-", "x-sylpheed-", "x-mutt-",
        "x-apple-",
    ]
}
