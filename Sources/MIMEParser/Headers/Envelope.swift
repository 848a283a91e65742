public import Models

/// The summary of a message: sender, recipients, subject, date, and answered messages. RFC 5322 §3.6.
///
/// If a field that may occur once is repeated, the first one counts; address fields and `References` are joined. All
/// text comes from a stranger.
public struct Envelope: Hashable, Sendable {
    public var subject = ""
    public var from: [EmailAddress] = []
    public var sender: [EmailAddress] = []
    public var replyTo: [EmailAddress] = []
    public var to: [EmailAddress] = []
    public var cc: [EmailAddress] = []
    public var bcc: [EmailAddress] = []
    /// nil: missing or unreadable.
    public var date: Timestamp?
    public var messageID: MessageID?
    public var inReplyTo: [MessageID] = []
    /// In the order of the field, the oldest first.
    public var references: [MessageID] = []

    public init() {}

    init(fields: [RawField], in bytes: [UInt8], limits: MIMELimits) {
        var seen = EnvelopeField.Seen()
        let unlabelled = UnlabelledHeaders(fields, in: bytes, limits: limits)
        for field in fields {
            guard let name = EnvelopeField(bytes, field.name) else { continue }
            let isFirst = seen.insert(name)
            if !isFirst, name.standsOnce { continue }
            let body = unlabelled.body(of: field)
            switch name {
            case .subject: subject = EncodedWord.decode(body, limit: limits.encodedWords)
            // A repeated address field is an error, but no address may be missed.
            case .from: from += AddressList.read(body, limits: limits)
            case .to: to += AddressList.read(body, limits: limits)
            case .cc: cc += AddressList.read(body, limits: limits)
            case .bcc: bcc += AddressList.read(body, limits: limits)
            case .sender: sender = AddressList.read(body, limits: limits)
            case .replyTo: replyTo = AddressList.read(body, limits: limits)
            case .date: date = MailDate.read(body)
            case .messageID: messageID = MessageIDs.own(body)
            case .inReplyTo: inReplyTo = MessageIDs.inReplyTo(body)
            case .references: references = MessageIDs.joined(references, MessageIDs.references(body))
            }
        }
    }
}

/// The fields of the envelope.
private enum EnvelopeField: UInt16 {
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

    /// Length and first letter leave at most one name to compare; most fields are others.
    init?(_ bytes: [UInt8], _ name: Range<Int>) {
        guard !name.isEmpty, name.count <= 11 else { return nil }
        let first = bytes[name.lowerBound].lowercasedASCII
        let candidate: (word: StaticString, field: EnvelopeField)
        switch (name.count, first) {
        case (2, UInt8(ascii: "t")): candidate = ("to", .to)
        case (2, UInt8(ascii: "c")): candidate = ("cc", .cc)
        case (3, UInt8(ascii: "b")): candidate = ("bcc", .bcc)
        case (4, UInt8(ascii: "f")): candidate = ("from", .from)
        case (4, UInt8(ascii: "d")): candidate = ("date", .date)
        case (6, UInt8(ascii: "s")): candidate = ("sender", .sender)
        case (7, UInt8(ascii: "s")): candidate = ("subject", .subject)
        case (8, UInt8(ascii: "r")): candidate = ("reply-to", .replyTo)
        case (10, UInt8(ascii: "m")): candidate = ("message-id", .messageID)
        case (10, UInt8(ascii: "r")): candidate = ("references", .references)
        case (11, UInt8(ascii: "i")): candidate = ("in-reply-to", .inReplyTo)
        case _: return nil
        }
        guard bytes[name].isWord(candidate.word) else { return nil }
        self = candidate.field
    }

    var standsOnce: Bool {
        switch self {
        case .from, .to, .cc, .bcc, .references: false
        case .subject, .sender, .replyTo, .date, .messageID, .inReplyTo: true
        }
    }

    /// A bit for each field.
    struct Seen {
        private var bits: UInt16 = 0

        /// Returns whether it is the first field of its name.
        mutating func insert(_ field: EnvelopeField) -> Bool {
            let bit = UInt16(1) << field.rawValue
            defer { bits |= bit }
            return bits & bit == 0
        }
    }
}
