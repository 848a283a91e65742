import Models

/// A long message without its files: its headers, its texts, and short parts.
///
/// The parts keep their order and their numbers, so that the parser reads the result like any other message. An attached
/// message keeps only its header.
public struct MessageOutline: Sendable {
    public let bytes: [UInt8]
    /// The decoded sizes of the parts that were left out, by section, in bytes.
    public let omitted: [String: Int]
    /// Whether a text was cut.
    public let isTruncated: Bool

    /// nil: the headers and texts are larger than four times the limit together.
    ///
    /// `limit`: the most bytes of each text, before its transfer encoding is decoded.
    public init?(of message: ParsedMessage, limit: Int) {
        var cut = OutlineCut(message: message, limit: limit)
        for part in Self.ownParts(of: message) { cut.take(part) }
        cut.copy(upTo: message.bytes.count)
        guard cut.bytes.count <= 4 * limit,
            Self.sections(of: MIMEParser.parse(cut.bytes)) == Self.sections(of: message)
        else { return nil }
        bytes = cut.bytes
        omitted = cut.omitted
        isTruncated = cut.isTruncated
    }

    /// The parts of the message itself, not of an attached message.
    private static func ownParts(of message: ParsedMessage) -> [Part] {
        var hidden: Set<Int> = []
        return message.parts.filter { part in
            let isHidden = part.parent.map(hidden.contains) ?? false
            if isHidden || part.contentType.isMessage { hidden.insert(part.index) }
            return !isHidden
        }
    }

    private static func sections(of message: ParsedMessage) -> [String] {
        ownParts(of: message).map(\.section.description)
    }
}

/// Removes bodies from a message, in the order of its parts.
private struct OutlineCut {
    /// A shorter part is kept, whatever it is: an invitation, or a signature.
    private static let shortPart = 64 * 1_024

    let message: ParsedMessage
    let limit: Int
    private let fileSizes: [String: Int]
    private(set) var bytes: [UInt8] = []
    private var copied = 0
    private var shortBytes = 0
    private(set) var omitted: [String: Int] = [:]
    private(set) var isTruncated = false

    init(message: ParsedMessage, limit: Int) {
        self.message = message
        self.limit = limit
        fileSizes = Dictionary(
            message.attachments.map { ($0.section, $0.size) }, uniquingKeysWith: { first, _ in first })
    }

    mutating func take(_ part: Part) {
        let body = part.bodyRange
        if part.contentType.isMessage, let inner = part.children.first.map({ message.parts[$0] }) {
            remove(inner.headerRange.upperBound..<body.upperBound, of: part)
        } else if part.children.isEmpty {
            if message.isInlineText(part) {
                guard body.count > limit else { return }
                isTruncated = true
                copy(upTo: body.lowerBound + limit)
                copied = body.upperBound
            } else if body.count <= Self.shortPart, shortBytes + body.count <= limit {
                shortBytes += body.count
            } else {
                remove(body, of: part)
            }
        }
    }

    private mutating func remove(_ body: Range<Int>, of part: Part) {
        let section = part.section.description
        omitted[section] = fileSizes[section] ?? body.count
        copy(upTo: body.lowerBound)
        copied = body.upperBound
    }

    mutating func copy(upTo end: Int) {
        guard end > copied else { return }
        bytes += message.bytes[copied..<end]
        copied = end
    }
}
