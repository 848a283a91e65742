import Crypto
import MIMEParser
import Models

/// A part that people see as a file, or a file inside a part (`2:1`).
public struct AttachmentInspection: Encodable, Sendable {
    public var section: String
    public var name: String
    public var contentType: String
    public var size: Int
    public var contentID: String?
    public var inline: Bool
    public var sha256: String

    /// Parts already have hashes, so only the files inside them are decoded.
    static func all(of message: ParsedMessage, parts: [PartInspection]) -> [AttachmentInspection] {
        // An attached message and the multipart in it share a number; the first one is the file.
        let hashes = Dictionary(
            parts.map { ($0.section, $0.sha256) }, uniquingKeysWith: { first, _ in first })
        var contents = FileContents(message)
        return message.attachments.map { file in
            AttachmentInspection(
                section: file.section, name: file.name, contentType: file.contentType, size: file.size,
                contentID: file.contentID, inline: file.isInline,
                sha256: hashes[file.section] ?? Hex.encode(SHA256.hash(contents.bytes(of: file) ?? [])))
        }
    }
}

/// The bytes of a message's files, read in order, so that a part with several files is decoded once.
struct FileContents {
    private let message: ParsedMessage
    private var section = ""
    private var held: [HeldFile] = []

    init(_ message: ParsedMessage) { self.message = message }

    mutating func bytes(of file: Attachment) -> [UInt8]? {
        let pieces = file.section.split(separator: ":")
        guard pieces.count == 2, let number = Int(pieces[1]) else {
            return message.decodedBody(section: file.section)
        }
        if pieces[0] != section {
            section = String(pieces[0])
            held = SectionPath(section).flatMap(message.part(at:)).map(message.heldFiles(in:)) ?? []
        }
        return held.indices.contains(number - 1) ? held[number - 1].bytes : nil
    }
}
