public import Models

/// A message as a JSON description, for people and scripts that compose one.
///
/// It is strict if a mistake would lose something: an unknown key, two addresses in one place, invalid base64. An error
/// names the place in the description: `attachments[2].name`. It uses no clock, no random numbers and no files.
public struct ComposeDescription: Hashable, Sendable {
    /// Bytes, written as base64 or as text.
    public struct Content: Hashable, Sendable {
        public var base64: String?
        public var text: String?

        public init(base64: String? = nil, text: String? = nil) {
            self.base64 = base64
            self.text = text
        }
    }

    public struct File: Hashable, Sendable {
        public var name: String
        public var contentType: String
        public var content: Content
        /// Only for inline files.
        public var contentID: String?

        public init(name: String, contentType: String, content: Content, contentID: String? = nil) {
            self.name = name
            self.contentType = contentType
            self.content = content
            self.contentID = contentID
        }
    }

    public var from: EmailAddress
    public var sender: EmailAddress?
    public var replyTo: [EmailAddress] = []
    public var to: [EmailAddress] = []
    public var cc: [EmailAddress] = []
    public var bcc: [EmailAddress] = []
    public var subject = ""
    /// The caller may set the current time; see ``message()``.
    public var date: Timestamp?
    public var zoneOffsetSeconds = 0
    public var messageID: MessageID?
    /// If there is no message id, it is derived from this seed: another seed gives another id.
    public var seed = ""
    public var inReplyTo: MessageID?
    public var references: [MessageID] = []
    public var autoSubmitted: MessageBuilder.AutoSubmitted?
    public var headers: [HeaderField] = []
    public var text = ""
    public var html: String?
    public var isFlowed = true
    public var inline: [File] = []
    public var attachments: [File] = []
    public var messages: [Content] = []
    /// Whether to write the Bcc recipients, as in a draft.
    public var isDraft = false

    public init(from: EmailAddress) { self.from = from }

    /// The bytes of the message.
    public func message() throws(BuilderError) -> [UInt8] {
        let builder = try builder()
        return isDraft ? try builder.draft() : try builder.build()
    }

    /// The description as builder values. Each is checked, and errors name its place.
    public func builder() throws(BuilderError) -> MessageBuilder {
        guard let date else {
            throw BuilderError(.missing, field: "date", value: "write it as 2026-03-05T10:00:00+01:00")
        }
        try checkHeader()
        var builder = MessageBuilder(
            from: from, to: to, subject: subject, text: text, date: date, messageID: messageID ?? ownID(date))
        builder.zoneOffsetSeconds = zoneOffsetSeconds
        builder.sender = sender
        builder.replyTo = replyTo
        builder.cc = cc
        builder.bcc = bcc
        builder.inReplyTo = inReplyTo
        builder.references = references
        builder.autoSubmitted = autoSubmitted
        builder.extraHeaders = headers
        builder.html = html
        builder.isFlowed = isFlowed
        builder.inlineFiles = try inlineFiles()
        builder.files = try files(attachments, at: "attachments")
        for (index, message) in messages.enumerated() {
            builder.messages.append(try message.bytes(at: "messages[\(index)]"))
        }
        return builder
    }

    private func ownID(_ date: Timestamp) -> MessageID {
        MessageIDFactory.make(at: date, random: MessageIDFactory.bytes(seed: seed), domain: from.domain)
    }
}

// MARK: Checks

extension ComposeDescription {
    private func checkHeader() throws(BuilderError) {
        try check([from], at: "from", isList: false)
        if let sender { try check([sender], at: "sender", isList: false) }
        for (path, list) in [("replyTo", replyTo), ("to", to), ("cc", cc), ("bcc", bcc)] {
            try check(list, at: path)
        }
        try HeaderWriter.refuseControls(subject, field: "subject")
        if let messageID { try check([messageID], at: "messageID", isList: false) }
        if let inReplyTo { try check([inReplyTo], at: "inReplyTo", isList: false) }
        try check(references, at: "references")
        for (index, field) in headers.enumerated() {
            try located("headers[\(index)]") { () throws(BuilderError) in
                var writer = HeaderWriter()
                try writer.extra(field)
            }
        }
    }

    private func check(
        _ addresses: [EmailAddress], at path: String, isList: Bool = true
    ) throws(BuilderError) {
        for (index, address) in addresses.enumerated() {
            _ = try AddressWriter.mailbox(address, field: isList ? "\(path)[\(index)]" : path)
        }
    }

    private func check(_ ids: [MessageID], at path: String, isList: Bool = true) throws(BuilderError) {
        for (index, id) in ids.enumerated() {
            var writer = HeaderWriter()
            try writer.messageIDs(isList ? "\(path)[\(index)]" : path, [id], isOwn: true)
        }
    }

    private func files(_ files: [File], at path: String) throws(BuilderError) -> [MessageBuilder.File] {
        var found: [MessageBuilder.File] = []
        for (index, file) in files.enumerated() {
            let place = "\(path)[\(index)]"
            try located(place + ".contentType") { () throws(BuilderError) in
                _ = try BodyWriter.contentType(file.contentType)
            }
            try HeaderWriter.refuseControls(file.name, field: place + ".name", allowsTab: false)
            found.append(
                .init(
                    name: file.name, contentType: file.contentType, bytes: try file.content.bytes(at: place)))
        }
        return found
    }

    private func inlineFiles() throws(BuilderError) -> [MessageBuilder.InlineFile] {
        var seen: Set<String> = []
        var found: [MessageBuilder.InlineFile] = []
        for (index, file) in try files(inline, at: "inline").enumerated() {
            let place = "inline[\(index)].contentID"
            guard let id = inline[index].contentID else {
                throw BuilderError(.missing, field: place, value: "the HTML names the file by it")
            }
            guard seen.insert(id).inserted else {
                throw BuilderError(.repeatedContentID, field: place, value: id)
            }
            try located(place) { () throws(BuilderError) in
                var writer = HeaderWriter()
                try writer.contentID(id)
            }
            found.append(.init(contentID: id, file: file))
        }
        return found
    }

    private func located(_ path: String, _ check: () throws(BuilderError) -> Void) throws(BuilderError) {
        do { try check() } catch { throw error.at(path) }
    }
}

extension ComposeDescription.Content {
    func bytes(at path: String) throws(BuilderError) -> [UInt8] {
        switch (base64, text) {
        case (nil, let text?): return Array(text.utf8)
        case (let base64?, nil): return try Self.strict(base64, at: path + ".base64")
        case (nil, nil), (.some, .some):
            throw BuilderError(.missing, field: path, value: "give its bytes as \"base64\" or as \"text\"")
        }
    }

    /// Decodes base64 that contains nothing else except line ends. RFC 4648 §4.
    private static func strict(_ text: String, at path: String) throws(BuilderError) -> [UInt8] {
        let bytes = Array(text.utf8)
        var characters = 0
        var padding = 0
        for (offset, byte) in bytes.enumerated() where !byte.isBlank {
            characters += 1
            if byte == ASCII.equals { padding += 1 }
            let isDigit = byte.isLetter || byte.isDigit || byte == UInt8(ascii: "+") || byte == ASCII.slash
            guard padding > 0 ? byte == ASCII.equals : isDigit else {
                throw BuilderError(.badBase64, field: path, offset: offset)
            }
        }
        guard characters.isMultiple(of: 4), padding <= 2 else {
            throw BuilderError(.badBase64, field: path, offset: bytes.count)
        }
        return Base64.decode(bytes[...])
    }
}
