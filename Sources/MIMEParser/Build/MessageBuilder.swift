public import Models

/// Writes a message: header fields, texts, files and attached messages. Equal values give equal bytes. RFC 5322,
/// RFC 2045–2047, RFC 2231.
///
/// It uses no clock and no random numbers: the caller sets date, message id and zone, and boundaries depend on the
/// content. Every value is checked when it is written, after all decoding, because text from a stranger's encoded word
/// can be as hostile as raw bytes. Every line ends with CRLF and has at most 998 bytes.
public struct MessageBuilder: Sendable {
    /// The value of `Auto-Submitted`. RFC 3834 §5.
    public enum AutoSubmitted: String, Hashable, Sendable, Codable {
        case generated = "auto-generated"
        case replied = "auto-replied"
    }

    public struct File: Hashable, Sendable {
        public var name: String
        /// `type/subtype`.
        public var contentType: String
        public var bytes: [UInt8]
        /// Further parameters of the type, each a token.
        var parameters: [Parameter] = []

        struct Parameter: Hashable {
            var name: String
            var value: String
        }

        public init(name: String, contentType: String, bytes: [UInt8]) {
            self.name = name
            self.contentType = contentType
            self.bytes = bytes
        }
    }

    /// A file that the HTML shows by `cid:` and its id. RFC 2392.
    public struct InlineFile: Hashable, Sendable {
        /// Without brackets.
        public var contentID: String
        public var file: File

        public init(contentID: String, file: File) {
            self.contentID = contentID
            self.file = file
        }
    }

    public var from: EmailAddress
    public var sender: EmailAddress?
    public var replyTo: [EmailAddress] = []
    public var to: [EmailAddress]
    public var cc: [EmailAddress] = []
    /// Written only for drafts; see ``build(includingBcc:)``.
    public var bcc: [EmailAddress] = []
    public var subject: String
    public var date: Timestamp
    /// The zone of the sender, in seconds east of UTC.
    public var zoneOffsetSeconds = 0
    public var messageID: MessageID
    public var inReplyTo: MessageID?
    /// The oldest first. Ids in the middle of a long chain are omitted.
    public var references: [MessageID] = []
    public var autoSubmitted: AutoSubmitted?
    public var extraHeaders: [HeaderField] = []
    /// Plain text; omitted if it is empty and there is HTML.
    public var text: String
    /// Whether long lines get soft breaks, which readers of the format join again. Text with only short lines does not
    /// change. RFC 3676.
    public var isFlowed = true
    /// The same text as HTML, in UTF-8. A charset named in it should be UTF-8 too.
    public var html: String?
    public var inlineFiles: [InlineFile] = []
    public var files: [File] = []
    /// The same content as a calendar object for programs: the answer to an invitation. RFC 6047 §2.4.
    public struct Calendar: Hashable, Sendable {
        /// The method in the object: `REPLY`.
        public var method: String
        public var text: String

        public init(method: String, text: String) {
            self.method = method
            self.text = text
        }
    }

    public var calendar: Calendar?
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
        header.raw("MIME-Version: 1.0\r\n")
        return header.bytes + (try body().bytes)
    }

    /// The bytes of a draft, with Bcc.
    public func draft() throws(BuilderError) -> [UInt8] { try build(includingBcc: true) }

    /// The address for `MAIL` and `RCPT`, in ASCII and checked.
    public static func envelopeAddress(_ address: EmailAddress) throws(BuilderError) -> String {
        try AddressWriter.addrSpec(address, field: "the envelope")
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

    /// All ids, or the first and the last ones if there are too many: servers refuse or cut a field of 100 kB.
    private static func shortened(_ ids: [MessageID]) -> [MessageID] {
        var left = longestReferences - (ids.first?.rawValue.utf8.count ?? 0)
        let last = ids.dropFirst().reversed().prefix { id in
            left -= id.rawValue.utf8.count + 3
            return left >= 0
        }
        return ids.prefix(1) + last.reversed()
    }

    private static let longestReferences = 60_000
}

// MARK: Body

/// `mixed { alternative { text, related { html, inline files } }, messages, files }`, without the boxes of one part.
extension MessageBuilder {
    private func body() throws(BuilderError) -> BodyWriter.Part {
        var parts: [BodyWriter.Part] = []
        let inline = try inlineParts()
        if let html {
            let related = MultipartWriter.box(
                "related", [BodyWriter.html(html)] + inline, parameters: "\r\n type=\"text/html\";",
                seed: seed)
            let plain = text.isEmpty ? [] : [BodyWriter.text(text, isFlowed: isFlowed)]
            parts.append(MultipartWriter.box("alternative", plain + [related], seed: seed))
        } else if let calendar {
            let plain = BodyWriter.text(text, isFlowed: isFlowed)
            parts.append(
                MultipartWriter.box(
                    "alternative", [plain, try BodyWriter.calendar(calendar)], seed: seed))
            parts += inline
        } else {
            parts.append(BodyWriter.text(text, isFlowed: isFlowed))
            parts += inline
        }
        for message in messages { parts.append(try BodyWriter.message(message)) }
        for file in files { parts.append(try BodyWriter.file(file)) }
        return MultipartWriter.box("mixed", parts, seed: seed)
    }

    private func inlineParts() throws(BuilderError) -> [BodyWriter.Part] {
        var seen: Set<String> = []
        var parts: [BodyWriter.Part] = []
        for inline in inlineFiles {
            guard seen.insert(inline.contentID).inserted else {
                throw BuilderError(.repeatedContentID, field: "Content-ID", value: inline.contentID)
            }
            parts.append(try BodyWriter.inline(inline))
        }
        return parts
    }

    private var seed: String { messageID.rawValue }
}
