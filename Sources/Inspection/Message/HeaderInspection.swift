import MIMEParser
public import Models

/// How opus reads one header field.
///
/// Texts come from strangers and are only decoded.
public struct HeaderInspection: Encodable, Sendable {
    /// The largest header that opus reads, in bytes.
    public static let limit = 1 << 20

    public var name: String
    /// The first byte, and the byte after the last, without the line end.
    public var range: [Int]
    /// Unfolded and decoded.
    public var text: String
    /// The addresses of `From`, `To` and the like.
    public var addresses: [MessageInspection.Person]?
    /// RFC 3339 with the sender's offset; nil: not a date, or unreadable.
    public var date: String?
    /// Message ids without angle brackets.
    public var ids: [String]?
    /// The text before the parameters of `Content-Type` and `Content-Disposition`.
    public var value: String?
    public var parameters: [String: String]?
    /// The addresses of `List-Unsubscribe` and the other list fields. RFC 2369.
    public var list: [String]?
    /// The base subject of `Subject`. RFC 5256 §2.1.
    public var baseSubject: String?

    private static let addressed: Set<String> = [
        "from", "sender", "reply-to", "to", "cc", "bcc", "return-path", "delivered-to", "x-original-to",
        "disposition-notification-to", "mail-followup-to", "errors-to",
    ]

    /// All fields in the bytes, in order.
    ///
    /// - Throws: `not-a-header`: the bytes contain no field.
    public static func all(in bytes: [UInt8], file: String) throws(Problem) -> [HeaderInspection] {
        let message = MIMEParser.parse(bytes)
        let fields = message.rawFields
        guard !fields.isEmpty else {
            throw Problem(
                "not-a-header", exit: .badData,
                message: "\(file == "-" ? "standard input" : file) holds no header field",
                next: ["a field is a name, a colon and a text: Subject: =?utf-8?q?Caf=C3=A9?="])
        }
        return fields.map { HeaderInspection($0, bytes) }
    }

    private init(_ field: FieldBytes, _ bytes: [UInt8]) {
        name = field.name
        range = [field.range.lowerBound, field.range.upperBound]
        text = EncodedWord.decode(field.body)
        let key = field.name.lowercased()
        let resent = key.hasPrefix("resent-") ? String(key.dropFirst("resent-".count)) : key
        switch resent {
        case _ where Self.addressed.contains(resent):
            addresses = AddressList.read(field.body).map(MessageInspection.Person.init)
        case "date": date = WrittenDate(field.body)?.rfc3339
        case "message-id": ids = MessageIDs.own(field.body).map { [$0.rawValue] } ?? []
        case "references": ids = MessageIDs.references(field.body).map(\.rawValue)
        case "in-reply-to": ids = MessageIDs.inReplyTo(field.body).map(\.rawValue)
        case "subject": baseSubject = BaseSubject.of(text)
        case "content-type", "content-disposition":
            let part = MIMEParser.parse(Array(bytes[field.range]) + Array("\n\n".utf8))
            value =
                key == "content-type"
                ? part.root.contentType.description : part.dispositionWord(of: part.root)
            parameters =
                PartInspection.named(
                    key == "content-type"
                        ? part.root.contentType.parameters : part.dispositionParameters(of: part.root)) ?? [:]
        case _ where ListAddresses.fields.contains { key == "list-" + $0 }: list = ListAddresses.read(text)
        case _: break
        }
    }
}
