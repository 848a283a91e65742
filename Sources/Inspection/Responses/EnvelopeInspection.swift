import IMAPProtocol

/// The fields of an ENVELOPE, unchanged: encoded words are not decoded. RFC 3501 §7.4.2.
public struct EnvelopeInspection: Encodable, Sendable {
    public struct Address: Encodable, Sendable {
        /// `mailbox`, or the `group-start` and `group-end` of a group.
        public var kind: String
        public var name: String?
        public var mailbox: String?
        public var host: String?

        init(_ address: EnvelopeAddress) {
            kind =
                switch address.kind {
                case .mailbox: "mailbox"
                case .groupStart: "group-start"
                case .groupEnd: "group-end"
                }
            name = address.name.map(words)
            mailbox = address.mailbox.map(words)
            host = address.host.map(words)
        }
    }

    public var date: String?
    public var subject: String?
    public var from: [Address]
    public var sender: [Address]
    public var replyTo: [Address]
    public var to: [Address]
    public var cc: [Address]
    public var bcc: [Address]
    public var inReplyTo: String?
    public var messageID: String?

    init(_ envelope: Envelope) {
        date = envelope.date.map(words)
        subject = envelope.subject.map(words)
        from = envelope.from.map(Address.init)
        sender = envelope.sender.map(Address.init)
        replyTo = envelope.replyTo.map(Address.init)
        to = envelope.to.map(Address.init)
        cc = envelope.cc.map(Address.init)
        bcc = envelope.bcc.map(Address.init)
        inReplyTo = envelope.inReplyTo.map(words)
        messageID = envelope.messageID.map(words)
    }
}

/// One part of a BODYSTRUCTURE, with the number for fetching it.
public struct BodyPartInspection: Encodable, Sendable {
    public struct Parameter: Encodable, Sendable {
        public var name: String
        public var value: String

        init(_ parameter: BodyParameter) {
            name = parameter.name
            value = words(parameter.value)
        }
    }

    public var section: String
    /// The index of its parent in the list.
    public var parent: Int?
    /// `text/plain`
    public var contentType: String
    public var parameters: [Parameter]
    public var encoding: String?
    /// In octets, encoded, according to the server.
    public var size: UInt64?
    public var lines: UInt64?
    public var contentID: String?
    public var description: String?
    public var md5: String?
    public var disposition: String?
    public var dispositionParameters: [Parameter]
    public var languages: [String]
    public var location: String?
    /// The envelope of the inner message.
    public var envelope: EnvelopeInspection?

    init(_ part: BodyPart) {
        section = part.section
        parent = part.parent
        contentType = "\(part.type)/\(part.subtype)"
        parameters = part.parameters.map(Parameter.init)
        encoding = part.type == "multipart" ? nil : part.encoding
        size = part.size
        lines = part.lines
        contentID = part.contentID.map(words)
        description = part.description.map(words)
        md5 = part.md5.map(words)
        disposition = part.disposition?.type
        dispositionParameters = part.disposition?.parameters.map(Parameter.init) ?? []
        languages = part.languages
        location = part.location.map(words)
        envelope = part.envelope.map(EnvelopeInspection.init)
    }
}
