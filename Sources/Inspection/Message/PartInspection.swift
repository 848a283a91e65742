import Crypto
import MIMEParser
import Models

/// One part in `opus.message/1`: its position, its fields and its content.
public struct PartInspection: Encodable, Sendable {
    /// The number in IMAP; empty: the message itself, if it is a multipart.
    public var section: String
    /// The index of its parent in the list.
    public var parent: Int?
    public var contentType: String
    /// By name in lower case, decoded; nil: none.
    public var contentTypeParameters: [String: String]?
    /// The label, unchanged.
    public var charset: String?
    /// The word of the field in lower case.
    public var encoding: String
    public var disposition: String?
    public var dispositionParameters: [String: String]?
    public var filename: String?
    public var contentID: String?
    /// The size of the decoded content or, for a multipart, of its body; the same for the hash.
    public var size: Int
    public var sha256: String
    /// The first byte, and the byte after the last.
    public var header: [Int]
    public var body: [Int]
    public var isComplete: Bool
    /// The content of an attached message with a transfer encoding; its offsets count from its own first byte.
    public var message: EmbeddedInspection?

    /// The number of levels above it, for the tree.
    let depth: Int

    private enum CodingKeys: String, CodingKey {
        case section, parent, contentType, contentTypeParameters, charset, encoding, disposition
        case dispositionParameters, filename, contentID, size, sha256, header, body, isComplete, message
    }

    /// `level`: the number of encoded messages around this one; at most ``EmbeddedInspection/deepest`` are opened.
    static func all(of message: ParsedMessage, level: Int = 0) -> [PartInspection] {
        message.parts.map { part in
            var inspection = PartInspection(part, of: message)
            if level < EmbeddedInspection.deepest, let embedded = message.embeddedMessage(in: part) {
                inspection.message = EmbeddedInspection(embedded, level: level + 1)
            }
            return inspection
        }
    }

    private init(_ part: Part, of message: ParsedMessage) {
        let name = message.fileName(of: part)
        section = part.section.description
        parent = part.parent
        contentType = part.contentType.description
        contentTypeParameters = Self.named(part.contentType.parameters)
        charset = part.contentType.charset
        encoding = message.transferEncodingWord(of: part)
        disposition = message.dispositionWord(of: part)
        dispositionParameters = Self.named(message.dispositionParameters(of: part))
        filename = name.isEmpty ? nil : name
        contentID = message.contentID(of: part)
        header = [part.headerRange.lowerBound, part.headerRange.upperBound]
        body = [part.bodyRange.lowerBound, part.bodyRange.upperBound]
        isComplete = part.isComplete
        depth = part.depth - 1
        if part.transferEncoding == .identity {
            size = part.bodyRange.count
            sha256 = Hex.encode(SHA256.hash(message.bytes[part.bodyRange]))
        } else {
            let content = message.decodedBody(of: part)
            size = content.count
            sha256 = Hex.encode(SHA256.hash(content))
        }
    }
}

extension PartInspection {
    static func named(_ parameters: Parameters) -> [String: String]? {
        guard !parameters.names.isEmpty else { return nil }
        return Dictionary(
            parameters.names.map { ($0, parameters[$0] ?? "") }, uniquingKeysWith: { first, _ in first })
    }
}

/// An attached message with a transfer encoding. Its parts are not parts of the outer message.
public struct EmbeddedInspection: Encodable, Sendable {
    static let deepest = 8

    public var size: Int
    public var subject: String?
    public var parts: [PartInspection]
    public var beyondLimits: Bool
    public var defects: [DefectInspection]

    init(_ message: ParsedMessage, level: Int) {
        size = message.bytes.count
        subject = message.header("subject").first
        parts = PartInspection.all(of: message, level: level)
        defects = DefectInspection.all(of: message)
        beyondLimits = defects.contains(where: \.isLimit)
    }
}
