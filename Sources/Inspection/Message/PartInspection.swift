import Crypto
import MIMEParser
import Models

/// One part as `opus.message/1` lists it: its place, what it says of itself, what it holds.
public struct PartInspection: Encodable, Sendable {
    /// As IMAP numbers it; empty for a message that is a multipart.
    public var section: String
    /// The place of its parent in the list.
    public var parent: Int?
    public var contentType: String
    /// By name in lower case, decoded; nil without any.
    public var contentTypeParameters: [String: String]?
    /// The label as it came.
    public var charset: String?
    /// The word of the field in lower case.
    public var encoding: String
    public var disposition: String?
    public var dispositionParameters: [String: String]?
    public var filename: String?
    public var contentID: String?
    /// Of the decoded content, as is the hash; of a multipart, of what is in it.
    public var size: Int
    public var sha256: String
    /// First byte and the one after the last.
    public var header: [Int]
    public var body: [Int]
    public var isComplete: Bool
    /// What is in an attached message that came encoded; its offsets count from its own first byte.
    public var message: EmbeddedInspection?

    /// Levels above it: what a tree is drawn with.
    let depth: Int

    private enum CodingKeys: String, CodingKey {
        case section, parent, contentType, contentTypeParameters, charset, encoding, disposition
        case dispositionParameters, filename, contentID, size, sha256, header, body, isComplete, message
    }

    /// `level` counts the encoded messages round this one: at most ``EmbeddedInspection/deepest`` are opened.
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

/// An attached message that came encoded, so that its parts are not parts of the message round it.
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
        beyondLimits = message.isBeyondLimits
        defects = DefectInspection.all(of: message)
    }
}
