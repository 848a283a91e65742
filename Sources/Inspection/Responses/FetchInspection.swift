import Crypto
import IMAPProtocol
import Models
import NIOCore

/// What FETCH says of one message; an item that did not come has no key.
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
    /// X-GM-MSGID and X-GM-THRID in decimal digits: too large for what many readers of JSON hold in a number.
    public var gmailMessageID: String?
    public var gmailThreadID: String?
    /// X-GM-LABELS.
    public var gmailLabels: [MailboxNameInspection]?
    public var envelope: EnvelopeInspection?
    public var structure: [BodyPartInspection]?
    public var sections: [SectionInspection]
    public var unreadable: [Unreadable]

    /// An item that came and makes no sense.
    public struct Unreadable: Encodable, Sendable {
        public var name: String
        /// The limit that it is beyond, if that is why.
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

/// One section of a message: how many octets came, and their sum.
public struct SectionInspection: Encodable, Sendable {
    /// `HEADER`, `1.2`; empty for the whole message.
    public var section: String
    /// Where a part of it begins.
    public var origin: UInt32?
    /// Missing where the server has nothing for this section (NIL).
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

    /// Literals that belong to no section of the response, such as those of items without a use, are passed over.
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

/// A long literal, of which only the sum was kept.
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

    /// Whether this is that section; when that was not known as it came, it may be.
    func isMaybe(_ one: BodySection) -> Bool {
        sequence == 0 || (section == one.name && origin == one.origin)
    }
}
