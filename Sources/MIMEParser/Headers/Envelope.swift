public import Models

/// The RFC 5322 summary of a message: who, to whom, what about, when, and in answer to what. RFC 5322 §3.6.
///
/// Of a field that may stand once, the first counts. All text comes from a stranger.
public struct Envelope: Hashable, Sendable {
    public var subject = ""
    public var from: [EmailAddress] = []
    public var sender: [EmailAddress] = []
    public var replyTo: [EmailAddress] = []
    public var to: [EmailAddress] = []
    public var cc: [EmailAddress] = []
    public var bcc: [EmailAddress] = []
    /// nil when missing or unreadable.
    public var date: Timestamp?
    public var messageID: MessageID?
    public var inReplyTo: [MessageID] = []
    /// Oldest first, as the field has them.
    public var references: [MessageID] = []

    public init() {}

    init(fields: [RawField], in bytes: [UInt8], limits: MIMELimits) {
        var seen: Set<FieldName> = []
        for field in fields {
            guard let name = FieldName(bytes[field.name]) else { continue }
            let isFirst = seen.insert(name).inserted
            let body = bytes[field.body]
            switch name {
            case .subject:
                if isFirst { subject = EncodedWord.decode(body, limit: limits.encodedWords) }
            // Address fields that are there twice are wrong, but nobody in them is to be overlooked.
            case .from: from += AddressList.read(body, limits: limits)
            case .to: to += AddressList.read(body, limits: limits)
            case .cc: cc += AddressList.read(body, limits: limits)
            case .bcc: bcc += AddressList.read(body, limits: limits)
            case .sender: if isFirst { sender = AddressList.read(body, limits: limits) }
            case .replyTo: if isFirst { replyTo = AddressList.read(body, limits: limits) }
            case .date: if isFirst { date = MailDate.read(body) }
            case .messageID: if isFirst { messageID = MessageIDs.own(body) }
            case .inReplyTo: if isFirst { inReplyTo = MessageIDs.inReplyTo(body) }
            case .references: if isFirst { references = MessageIDs.references(body) }
            }
        }
    }

    private enum FieldName {
        case subject
        case from
        case sender
        case replyTo
        case to
        case cc
        case bcc
        case date
        case messageID
        case inReplyTo
        case references

        init?(_ name: ArraySlice<UInt8>) {
            guard let found = Self.names.first(where: { name.isWord($0.0) }) else { return nil }
            self = found.1
        }

        private static let names: [(StaticString, FieldName)] = [
            ("subject", .subject), ("from", .from), ("sender", .sender), ("reply-to", .replyTo),
            ("to", .to), ("cc", .cc), ("bcc", .bcc), ("date", .date), ("message-id", .messageID),
            ("in-reply-to", .inReplyTo), ("references", .references),
        ]
    }
}
