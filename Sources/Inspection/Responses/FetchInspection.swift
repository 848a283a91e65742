import Crypto
import IMAPProtocol
import Models
import NIOCore

/// The items of a FETCH response. Items that the server did not send have no key.
public struct FetchInspection: Encodable, Sendable {
    public var sequence: UInt32
    public var uid: UInt32?
    public var flags: [String]?
    /// RFC 3339, in UTC.
    public var internalDate: String?
    /// RFC822.SIZE.
    public var size: UInt64?
    public var modSeq: UInt64?
    public var emailID: String?
    public var threadID: String?
    /// X-GM-MSGID and X-GM-THRID in decimal digits, because many JSON parsers cannot hold such large numbers.
    public var gmailMessageID: String?
    public var gmailThreadID: String?
    /// X-GM-LABELS.
    public var gmailLabels: [MailboxNameInspection]?
    public var envelope: EnvelopeInspection?
    public var structure: [BodyPartInspection]?
    public var sections: [SectionInspection]
    public var unreadable: [Unreadable]

    /// An item that the server sent in an unreadable form.
    public struct Unreadable: Encodable, Sendable {
        public var name: String
        /// The exceeded limit, if that is the cause.
        public var reason: String?
    }

    init(_ fetch: FetchResponse, streamed: [StreamedSection]) {
        sequence = fetch.sequenceNumber
        uid = fetch.uid
        flags = fetch.flags
        internalDate = fetch.internalDate.map { Timestamp(seconds: $0).rfc3339 }
        size = fetch.size
        modSeq = fetch.modSeq
        emailID = fetch.emailID
        threadID = fetch.threadID
        gmailMessageID = fetch.gmailMessageID.map { "\($0)" }
        gmailThreadID = fetch.gmailThreadID.map { "\($0)" }
        gmailLabels = fetch.gmailLabels?.map(MailboxNameInspection.init)
        envelope = fetch.envelope.map(EnvelopeInspection.init)
        structure = fetch.bodyStructure?.parts.map(BodyPartInspection.init)
        sections = SectionInspection.all(of: fetch, streamed: streamed)
        unreadable = fetch.unreadable.map { item in
            Unreadable(name: item.name, reason: item.reason.map { "\($0)" })
        }
    }
}

/// One section of a message: its size and its SHA-256.
public struct SectionInspection: Encodable, Sendable {
    /// `HEADER`, `1.2`; empty for the whole message.
    public var section: String
    /// The first octet of a partial section.
    public var origin: UInt32?
    /// nil: the server has no such section (NIL).
    public var size: Int?
    public var sha256: String?

    init(_ section: BodySection) {
        self.section = section.name
        origin = section.origin
        switch section.content {
        case .missing: break
        case .omitted(let size): self.size = size
        case .bytes(let buffer):
            size = buffer.readableBytes
            sha256 = Hex.encode(SHA256.hash(buffer.readableBytesView))
        }
    }

    /// Skips literals that belong to no section of the response, such as those of unused items.
    static func all(of fetch: FetchResponse, streamed: [StreamedSection]) -> [SectionInspection] {
        var literals = streamed[...]
        return fetch.sections.map { section in
            var inspection = SectionInspection(section)
            guard case .omitted(let size) = section.content else { return inspection }
            let found = literals.firstIndex { $0.total == size && $0.isMaybe(section) }
            guard let found else { return inspection }
            inspection.sha256 = literals[found].sha256
            literals = literals[(found + 1)...]
            return inspection
        }
    }
}

/// A long literal, of which only the hash was kept.
struct StreamedSection {
    private let sequence: UInt32
    private let section: String
    private let origin: UInt32?
    let total: Int
    private var hash = SHA256.Incremental()

    init(_ chunk: BodyChunk) {
        sequence = chunk.sequenceNumber
        section = chunk.section
        origin = chunk.origin
        total = chunk.total
    }

    var sha256: String { Hex.encode(hash.finalize()) }

    mutating func append(_ octets: ByteBuffer) { hash.update(octets.readableBytesView) }

    /// Whether this literal may belong to the section; true if that is not known.
    func isMaybe(_ one: BodySection) -> Bool {
        sequence == 0 || (section == one.name && origin == one.origin)
    }
}
