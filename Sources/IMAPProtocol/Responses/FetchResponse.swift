public import NIOCore

/// What one FETCH response says of one message; an item that did not come is nil. RFC 3501 §7.4.2.
///
/// It may come unasked, at any time, with any items.
public struct FetchResponse: Equatable, Sendable {
    public var sequenceNumber: UInt32
    public var uid: UInt32?
    /// As they came: `\Seen`, `$Forwarded`.
    public var flags: [String]?
    /// Seconds since 1970.
    public var internalDate: Int64?
    /// RFC822.SIZE. Exchange estimates: never proof of anything.
    public var size: UInt64?
    public var modSeq: UInt64?
    public var sections: [BodySection] = []
    /// nil also where the server's could not be read; see ``unreadable``.
    public var envelope: Envelope?
    /// nil also where the server's could not be read; see ``unreadable``.
    public var bodyStructure: BodyStructure?
    /// The same message in any mailbox, and all copies of it. RFC 8474 §5.1.
    public var emailID: String?
    public var threadID: String?
    /// X-GM-MSGID: the same message under any label.
    public var gmailMessageID: UInt64?
    public var gmailThreadID: UInt64?
    /// X-GM-LABELS, as the server has them: `\Inbox`, or modified UTF-7. Sent back byte for byte.
    public var gmailLabels: [[UInt8]]?
    /// Items that came but cannot be read.
    public var unreadable: [UnreadableItem] = []

    public init(sequenceNumber: UInt32) { self.sequenceNumber = sequenceNumber }

    /// The first section of that name, in upper case: `HEADER`, or empty for the whole message.
    public func section(_ name: String) -> BodySection? { sections.first { $0.name == name } }

    /// Items of a later response about the same message replace those of this one.
    public mutating func merge(_ later: FetchResponse) {
        uid = later.uid ?? uid
        flags = later.flags ?? flags
        internalDate = later.internalDate ?? internalDate
        size = later.size ?? size
        modSeq = later.modSeq ?? modSeq
        envelope = later.envelope ?? envelope
        bodyStructure = later.bodyStructure ?? bodyStructure
        emailID = later.emailID ?? emailID
        threadID = later.threadID ?? threadID
        gmailMessageID = later.gmailMessageID ?? gmailMessageID
        gmailThreadID = later.gmailThreadID ?? gmailThreadID
        gmailLabels = later.gmailLabels ?? gmailLabels
        unreadable += later.unreadable
        sections = later.sections + sections.filter { later.section($0.name) == nil }
    }
}

/// An ENVELOPE or BODYSTRUCTURE that makes no sense, or is beyond a limit; the rest of its response counts.
public struct UnreadableItem: Equatable, Sendable {
    /// `BODYSTRUCTURE`
    public var name: String
    /// The limit, with the actual figure and the maximum; nil where it makes no sense.
    public var reason: Unparsable.Reason?

    public init(name: String, reason: Unparsable.Reason? = nil) {
        self.name = name
        self.reason = reason
    }
}

/// `BODY[HEADER]<0> {12}…`: one section of a message. RFC 3501 §7.4.2.
public struct BodySection: Equatable, Sendable {
    public enum Content: Equatable, Sendable {
        case bytes(ByteBuffer)
        /// `NIL`: the server has nothing for this section.
        case missing
        /// Longer than the limit that the caller gave; read past.
        case omitted(size: Int)
    }

    /// Upper case: `HEADER`; empty for the whole message.
    public var name: String
    /// Where a partial fetch began; nil for a whole section.
    public var origin: UInt32?
    public var content: Content

    public init(name: String, origin: UInt32? = nil, content: Content) {
        self.name = name
        self.origin = origin
        self.content = content
    }
}
