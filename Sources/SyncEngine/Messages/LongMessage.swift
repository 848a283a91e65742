import IMAPClient
import IMAPProtocol
import MIMEParser
import NIOCore

/// A long message without its attachments: the header, the headers of its parts, and its texts, combined into
/// a message that the parser reads like any other.
///
/// The structure comes from the server. If the parser numbers the parts of the result differently, or the
/// structure is too large, it is not trusted, and the caller reads the beginning of the message instead. RFC
/// 3501 §6.4.5.
struct LongMessage: Sendable {
    private static let maximumParts = 100
    private static let maximumTexts = 8
    private static let headerLimit = 64 * 1_024

    /// The parts to fetch. Messages with the same structure have the same requests.
    let requests: [SectionRequest]
    private let header: [UInt8]
    private let structure: BodyStructure
    private let limit: Int
    /// Parts of the message itself, not of an attached message; the first part is the message.
    private let shown: [Int]

    /// nil: the structure is invalid, has too many parts, or is one part without text.
    init?(header: [UInt8], structure: BodyStructure, limit: Int) {
        let shown = Self.shown(structure)
        let texts = shown.filter { Self.isText(structure.parts[$0]) }
        let size = texts.reduce(UInt64(0)) { $0 + min(structure.parts[$1].size ?? 0, UInt64(limit)) }
        guard !header.isEmpty, !texts.isEmpty || shown.count > 1, texts.count <= Self.maximumTexts,
            size <= 2 * UInt64(limit),
            shown.count <= Self.maximumParts
        else { return nil }
        self.header = header
        self.structure = structure
        self.limit = limit
        self.shown = shown
        requests = shown.flatMap { index -> [SectionRequest] in
            let part = structure.parts[index]
            let header = SectionRequest(part.section, .mime, count: Self.headerLimit)
            let headers = part.parent == nil ? [] : [header]
            if Self.isText(part) { return headers + [SectionRequest(part.section, offset: 0, count: limit)] }
            // The subject of an attached message is used as its file name.
            return Self.isMessage(part)
                ? headers + [SectionRequest(part.section, .header, count: Self.headerLimit)] : headers
        }
    }

    /// nil if a section is missing, or if the parser numbers the parts differently.
    func message(_ listed: ListedMessage, with sections: [String: ByteBuffer]) -> RawMessage? {
        var bytes = header
        guard append(0, sections, to: &bytes), Self.sections(of: MIMEParser.parse(bytes)) == leaves else {
            return nil
        }
        var omitted: [String: Int] = [:]
        var isTruncated = false
        for index in shown where structure.parts[index].type != "multipart" {
            let part = structure.parts[index]
            guard Self.isText(part) else {
                omitted[part.section] = Self.decodedSize(part)
                continue
            }
            let read = sections[part.section]?.readableBytes ?? 0
            isTruncated = isTruncated || (read >= limit && (part.size ?? 0) > UInt64(read))
        }
        return RawMessage(listed: listed, bytes: bytes, isTruncated: isTruncated, omitted: omitted)
    }

    // MARK: Assembly

    private func append(_ index: Int, _ sections: [String: ByteBuffer], to bytes: inout [UInt8]) -> Bool {
        let part = structure.parts[index]
        guard part.type == "multipart" else {
            let name = Self.isMessage(part) ? part.section + ".HEADER" : part.section
            guard Self.isText(part) || Self.isMessage(part) else { return true }
            guard let content = sections[name] else { return false }
            bytes += content.readableBytesView
            return true
        }
        guard let boundary = part.parameter("boundary"), !boundary.isEmpty else { return false }
        for child in part.children {
            guard let header = sections[structure.parts[child].section + ".MIME"] else { return false }
            bytes += "\r\n--".utf8 + boundary + "\r\n".utf8
            bytes += header.readableBytesView
            if !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) { bytes += "\r\n".utf8 }
            guard append(child, sections, to: &bytes) else { return false }
        }
        bytes += "\r\n--".utf8 + boundary + "--\r\n".utf8
        return true
    }

    // MARK: Parts

    /// The sections of the parts that have content.
    private var leaves: [String] {
        shown.map { structure.parts[$0] }.filter { $0.type != "multipart" }.map(\.section)
    }

    private static func sections(of message: ParsedMessage) -> [String] {
        var hidden: Set<Int> = []
        var sections: [String] = []
        for part in message.parts {
            if let parent = part.parent, hidden.contains(parent) {
                hidden.insert(part.index)
                continue
            }
            if part.contentType.type == "message", ["rfc822", "global"].contains(part.contentType.subtype) {
                hidden.insert(part.index)
            }
            if part.contentType.type != "multipart" { sections.append(part.section.description) }
        }
        return sections
    }

    private static func shown(_ structure: BodyStructure) -> [Int] {
        var shown: [Int] = []
        var hidden: Set<Int> = []
        for (index, part) in structure.parts.enumerated() {
            if let parent = part.parent, hidden.contains(parent) {
                hidden.insert(index)
            } else {
                shown.append(index)
                if isMessage(part) { hidden.insert(index) }
            }
        }
        return shown
    }

    /// A text, or what a report says about each recipient. A part whose type the server cannot read is a text, too. RFC
    /// 2045 §5.2, RFC 3464.
    private static func isText(_ part: BodyPart) -> Bool {
        guard part.disposition?.type != "attachment" else { return false }
        switch (part.type, part.subtype) {
        case ("multipart", _): return false
        case ("text", _), (_, ""): return true
        case ("message", "delivery-status"), ("message", "global-delivery-status"): return true
        case _: return false
        }
    }

    private static func isMessage(_ part: BodyPart) -> Bool {
        part.type == "message" && (part.subtype == "rfc822" || part.subtype == "global")
    }

    /// A line of base64 has 78 octets and encodes 57.
    private static func decodedSize(_ part: BodyPart) -> Int {
        let size = Int(clamping: part.size ?? 0)
        return part.encoding == "base64" ? size / 78 * 57 + size % 78 * 3 / 4 : size
    }
}
