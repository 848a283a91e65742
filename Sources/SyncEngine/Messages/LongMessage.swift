import IMAPClient
import IMAPProtocol
import MIMEParser
import NIOCore

/// A long message without its attachments: the header, the headers of its parts, and its texts, combined into
/// a message that the parser reads like any other.
///
/// The structure comes from the server. If the parser numbers the parts of the result differently, it is not trusted, and
/// the caller reads the beginning of the message instead. RFC 3501 §6.4.5.
struct LongMessage: Sendable {
    /// Octets of the header of one part, and of the headers of all parts.
    private static let headerLimit = 64 * 1_024
    private static let headersLimit = 4 * 1_024 * 1_024
    /// Octets of an attached calendar that is read, encoded.
    private static let calendarLimit: UInt64 = 256 * 1_024

    /// The parts to fetch. Messages with the same structure have the same requests.
    let requests: [SectionRequest]
    private let header: [UInt8]
    private let structure: BodyStructure
    private let limit: Int
    /// Parts of the message itself, not of an attached message; the first part is the message.
    private let shown: [Int]
    /// The parts whose content is read.
    private let read: Set<Int>

    /// nil: the structure is invalid, or is one part that must be read as a whole.
    init?(header: [UInt8], structure: BodyStructure, limit: Int) {
        let shown = Self.shown(structure)
        guard !header.isEmpty, !shown.contains(where: { Self.isEmpty(structure.parts[$0]) }),
            shown.count > 1 || Self.isText(structure.parts[0]) || Self.isPlainFile(structure.parts[0])
        else { return nil }
        // Further texts are left out.
        var room = 2 * UInt64(limit)
        let read = Set(
            shown.filter { index in
                let part = structure.parts[index]
                guard Self.isText(part) || Self.isAttachedCalendar(part) else { return false }
                let size = min(part.size ?? 0, UInt64(limit))
                guard size <= room else { return false }
                room -= size
                return true
            })
        self.header = header
        self.structure = structure
        self.limit = limit
        self.shown = shown
        self.read = read
        let headerLimit = min(Self.headerLimit, Self.headersLimit / shown.count)
        requests = shown.flatMap { index -> [SectionRequest] in
            let part = structure.parts[index]
            let header = SectionRequest(part.section, .mime, count: headerLimit)
            let headers = part.parent == nil ? [] : [header]
            if read.contains(index) {
                return headers + [SectionRequest(part.section, offset: 0, count: limit)]
            }
            // The subject of an attached message is used as its file name.
            return Self.isMessage(part)
                ? headers + [SectionRequest(part.section, .header, count: headerLimit)] : headers
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
            guard read.contains(index) else {
                omitted[part.section] = Self.decodedSize(part)
                isTruncated = isTruncated || Self.isText(part)
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
            guard read.contains(index) || Self.isMessage(part) else { return true }
            guard let content = sections[name] else { return false }
            bytes += content.readableBytesView
            return true
        }
        guard let boundary = part.parameter("boundary"), !boundary.isEmpty else { return false }
        for child in part.children {
            guard let header = sections[structure.parts[child].section + ".MIME"] else { return false }
            // Dovecot describes a multipart in which it finds no part as one empty part.
            guard header.readableBytes > 0 || structure.parts[child].size ?? 1 > 0 else { return false }
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

    /// An invitation, or its cancellation, is often sent as a file.
    private static func isAttachedCalendar(_ part: BodyPart) -> Bool {
        guard !isText(part), part.size.map({ $0 <= calendarLimit }) ?? false else { return false }
        return (part.type, part.subtype) == ("text", "calendar")
            || (part.type, part.subtype) == ("application", "ics")
    }

    /// A multipart in which the server found no part; its text may be there.
    private static func isEmpty(_ part: BodyPart) -> Bool {
        part.type == "multipart" && part.children.isEmpty
    }

    /// A file in which opus finds no text and no other file.
    private static func isPlainFile(_ part: BodyPart) -> Bool {
        switch part.type {
        case "image", "audio", "video": true
        case "application": !wrappings.contains(part.subtype)
        case _: false
        }
    }

    private static let wrappings: Set = [
        "ms-tnef", "vnd.ms-tnef", "octet-stream", "pkcs7-mime", "x-pkcs7-mime",
    ]

    private static func isMessage(_ part: BodyPart) -> Bool {
        part.type == "message" && (part.subtype == "rfc822" || part.subtype == "global")
    }

    /// A line of base64 has 78 octets and encodes 57.
    private static func decodedSize(_ part: BodyPart) -> Int {
        let size = Int(clamping: part.size ?? 0)
        return part.encoding == "base64" ? size / 78 * 57 + size % 78 * 3 / 4 : size
    }
}
