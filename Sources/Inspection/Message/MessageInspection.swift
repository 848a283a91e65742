import Crypto
import MIMEParser
public import Models
import SASL

/// The content of a message and how opus reads it.
///
/// Texts come from strangers and are only decoded.
public struct MessageInspection: Encodable, Sendable {
    public struct Person: Encodable, Sendable {
        public var name: String?
        public var address: String

        init(_ address: EmailAddress) {
            name = address.displayName.isEmpty ? nil : address.displayName
            self.address = address.addrSpec
        }
    }

    public var file: String
    public var size: Int
    public var sha256: String
    public var subject: String?
    /// Without the marks of replies, forwards and lists. RFC 5256 §2.1.
    public var baseSubject: String?
    /// Present if requested.
    public var headers: [HeaderField]?
    /// The bytes of requested fields.
    public var fields: [FieldInspection]?
    public var from: [Person]
    public var sender: [Person]
    public var replyTo: [Person]
    public var to: [Person]
    public var cc: [Person]
    public var bcc: [Person]
    /// RFC 3339 with the sender's offset.
    public var date: String?
    public var messageID: String?
    public var inReplyTo: [String]
    public var references: [String]
    /// The addresses of the fields `List-Help`, `List-Unsubscribe` and so on, by the part after `List-`. RFC 2369.
    public var list: [String: [String]]?
    public var text: String
    /// Without quotes and signature.
    public var ownText: String
    /// The original HTML of the body. It is not safe to show.
    public var html: String?
    public var parts: [PartInspection]
    public var attachments: [AttachmentInspection]
    public var report: ReportInspection?
    public var calendarMethod: String?
    /// `signed` or `encrypted`; opus does not verify it.
    public var protection: String?
    public var beyondLimits: Bool
    public var defects: [DefectInspection]

    init(_ message: ParsedMessage, file: String) {
        let envelope = message.envelope
        self.file = file
        size = message.bytes.count
        sha256 = Hex.encode(SHA256.hash(message.bytes))
        subject = message.rawHeader("subject").isEmpty ? nil : envelope.subject
        baseSubject = subject.map(BaseSubject.of)
        from = envelope.from.map(Person.init)
        sender = envelope.sender.map(Person.init)
        replyTo = envelope.replyTo.map(Person.init)
        to = envelope.to.map(Person.init)
        cc = envelope.cc.map(Person.init)
        bcc = envelope.bcc.map(Person.init)
        date = WrittenDate(message)?.rfc3339
        messageID = envelope.messageID?.rawValue
        inReplyTo = envelope.inReplyTo.map(\.rawValue)
        references = envelope.references.map(\.rawValue)
        let addresses = ListAddresses.fields.map { name in
            (name, message.header("list-" + name).flatMap(ListAddresses.read))
        }.filter { !$0.1.isEmpty }
        list = addresses.isEmpty ? nil : Dictionary(uniqueKeysWithValues: addresses)
        text = message.text()
        ownText = TextZones.ownText(of: text)
        html = message.html
        parts = PartInspection.all(of: message)
        attachments = AttachmentInspection.all(of: message, parts: parts)
        report = message.report.map(ReportInspection.init)
        calendarMethod = message.calendarMethod
        protection = message.protection?.rawValue
        defects = DefectInspection.all(of: message)
        beyondLimits = defects.contains(where: \.isLimit)
    }
}

/// The original bytes of a header field.
public struct FieldInspection: Encodable, Sendable {
    public var name: String
    /// The first byte, and the byte after the last, without the line end.
    public var range: [Int]
    public var base64: String
    public let bytes: [UInt8]

    init(_ field: FieldBytes, of message: [UInt8]) {
        name = field.name
        range = [field.range.lowerBound, field.range.upperBound]
        bytes = Array(message[field.range])
        base64 = Base64.encode(bytes)
    }

    private enum CodingKeys: String, CodingKey {
        case name, range, base64
    }
}

/// A defect and its offset in the file, in bytes.
public struct DefectInspection: Encodable, Sendable {
    public var name: String
    public var offset: Int

    /// Whether the message was not read beyond it.
    let isLimit: Bool

    private init(_ defect: Defect) {
        name = defect.name.rawValue
        offset = defect.offset
        isLimit = defect.name.isLimit
    }

    /// First the defects of the structure, then those of the bodies.
    static func all(of message: ParsedMessage) -> [DefectInspection] {
        (message.defects + message.contentDefects).map(DefectInspection.init)
    }

    private enum CodingKeys: String, CodingKey {
        case name, offset
    }

    var words: String { "\(name) at byte \(offset)" }
}

/// The `Date` field in the sender's zone.
struct WrittenDate {
    let time: Timestamp
    /// Seconds east of UTC; nil: the field has no known zone.
    let offset: Int?

    init?(_ message: ParsedMessage) {
        guard let field = message.rawHeader("date").first else { return nil }
        self.init(field)
    }

    init?(_ field: ArraySlice<UInt8>) {
        guard let read = MailDate.readWithOffset(field) else { return nil }
        (time, offset) = (read.time, read.offsetSeconds)
    }

    /// Without a known offset, in UTC. RFC 3339 §5.6.
    var rfc3339: String {
        guard let offset else { return time.rfc3339 }
        let minutes = abs(offset) / 60
        let local = LocalDateTime(secondsSinceEpoch: time.seconds + Int64(offset))
        let digits = { (value: Int) in value < 10 ? "0\(value)" : "\(value)" }
        let zone = (offset < 0 ? "-" : "+") + digits(minutes / 60) + ":" + digits(minutes % 60)
        return "\(local.date)T\(local.clock)\(zone)"
    }

    /// `Thu, 05 Mar 2026 10:00:00 +0100`
    var words: String { MailDate.write(time, offsetSeconds: offset ?? 0) }
}
