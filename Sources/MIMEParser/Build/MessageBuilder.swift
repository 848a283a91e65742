public import Models

/// Writes a message: header fields, text, files, attached messages. The same values give the same bytes.
///
/// It has no clock and no dice: date, message id and zone are given, boundaries come from the content. Every value is
/// checked as it is written, after all decoding: a subject that came out of a stranger's encoded word is as hostile
/// as his bytes were. CRLF ends every line; no line is longer than 998 bytes. RFC 5322, RFC 2045–2047, RFC 2231.
public struct MessageBuilder: Sendable {
    /// RFC 3834 §5.
    public enum AutoSubmitted: String, Hashable, Sendable {
        case generated = "auto-generated"
        case replied = "auto-replied"
    }

    public struct File: Hashable, Sendable {
        public var name: String
        /// `type/subtype`.
        public var contentType: String
        public var bytes: [UInt8]

        public init(name: String, contentType: String, bytes: [UInt8]) {
            self.name = name
            self.contentType = contentType
            self.bytes = bytes
        }
    }

    public var from: EmailAddress
    public var sender: EmailAddress?
    public var replyTo: [EmailAddress] = []
    public var to: [EmailAddress]
    public var cc: [EmailAddress] = []
    /// Written only where a draft is kept: ``build(includingBcc:)``.
    public var bcc: [EmailAddress] = []
    public var subject: String
    public var date: Timestamp
    /// The writer's zone, east of UTC.
    public var zoneOffsetSeconds = 0
    public var messageID: MessageID
    public var inReplyTo: MessageID?
    /// Oldest first; long chains lose their middle.
    public var references: [MessageID] = []
    public var autoSubmitted: AutoSubmitted?
    public var extraHeaders: [HeaderField] = []
    public var text: String
    public var files: [File] = []
    /// Whole messages, attached as message/rfc822.
    public var messages: [[UInt8]] = []

    public init(
        from: EmailAddress, to: [EmailAddress], subject: String, text: String, date: Timestamp,
        messageID: MessageID
    ) {
        self.from = from
        self.to = to
        self.subject = subject
        self.text = text
        self.date = date
        self.messageID = messageID
    }

    /// The bytes of the message.
    public func build(includingBcc: Bool = false) throws(BuilderError) -> [UInt8] {
        var header = HeaderWriter()
        try writeHeader(into: &header, includingBcc: includingBcc)
        try header.unstructured("MIME-Version", "1.0")
        let textPart = BodyWriter.text(text)
        var parts: [BodyWriter.Part] = [textPart]
        for message in messages { parts.append(try BodyWriter.message(message)) }
        for file in files { parts.append(try BodyWriter.file(file)) }
        guard parts.count > 1 else { return header.bytes + textPart.bytes }
        let boundary = BodyWriter.boundary(absentFrom: parts, seed: messageID.rawValue)
        header.raw("Content-Type: multipart/mixed;\r\n boundary=\"\(boundary)\"\r\n\r\n")
        return header.bytes + BodyWriter.joined(parts, boundary: boundary)
    }

    private func writeHeader(into header: inout HeaderWriter, includingBcc: Bool) throws(BuilderError) {
        header.raw("Date: \(MailDate.write(date, offsetSeconds: zoneOffsetSeconds))\r\n")
        try header.addresses("From", [from])
        if let sender { try header.addresses("Sender", [sender]) }
        try header.addresses("Reply-To", replyTo)
        try header.addresses("To", to)
        try header.addresses("Cc", cc)
        if includingBcc { try header.addresses("Bcc", bcc) }
        try header.unstructured("Subject", subject)
        try header.messageIDs("Message-ID", [messageID], isOwn: true)
        if let inReplyTo { try header.messageIDs("In-Reply-To", [inReplyTo]) }
        try header.messageIDs("References", Self.shortened(references))
        if let autoSubmitted { try header.unstructured("Auto-Submitted", autoSubmitted.rawValue) }
        for field in extraHeaders { try header.extra(field) }
    }

    /// The first and the last ids of a long chain: enough to thread, short enough for every server.
    private static func shortened(_ ids: [MessageID]) -> [MessageID] {
        guard ids.count > 30, let first = ids.first else { return ids }
        return [first] + ids.suffix(29)
    }
}
