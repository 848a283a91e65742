public import NIOCore

/// The items of one message in a FETCH response; nil: the server did not send the item. RFC 3501 §7.4.2.
///
/// It may come at any time, without a request, with any items.
public struct FetchResponse: Equatable, Sendable {
    public var sequenceNumber: UInt32
    public var uid: UInt32?
    /// Unchanged: `\Seen`, `$Forwarded`.
    public var flags: [String]?
    /// Seconds since 1970.
    public var internalDate: Int64?
    /// RFC822.SIZE. Some servers, such as Exchange, estimate it, so it proves nothing.
    public var size: UInt64?
    public var modSeq: UInt64?
    public var sections: [BodySection] = []
    /// nil also if it was unreadable; see ``unreadable``.
    public var envelope: Envelope?
    /// nil also if it was unreadable; see ``unreadable``.
    public var bodyStructure: BodyStructure?
    /// The same for all copies of a message in all mailboxes. RFC 8474 §5.1.
    public var emailID: String?
    public var threadID: String?
    /// X-GM-MSGID: the same under all labels.
    public var gmailMessageID: UInt64?
    public var gmailThreadID: UInt64?
    /// X-GM-LABELS in the server's form: `\Inbox`, or modified UTF-7. They are sent back byte for byte.
    public var gmailLabels: [[UInt8]]?
    /// Items that the server sent in an unreadable form.
    public var unreadable: [UnreadableItem] = []

    public init(sequenceNumber: UInt32) { self.sequenceNumber = sequenceNumber }

    /// The first section of this name, in upper case: `HEADER`; empty: the whole message.
    public func section(_ name: String) -> BodySection? { sections.first { $0.name == name } }

    /// Takes over the items of a later response about the same message.
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

/// An ENVELOPE or BODYSTRUCTURE that is invalid or exceeds a limit. The other items of the response are valid.
public struct UnreadableItem: Equatable, Sendable {
    /// `BODYSTRUCTURE`
    public var name: String
    /// The exceeded limit, with the actual number and the maximum; nil: the item is invalid.
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
        /// `NIL`: the server has no such section.
        case missing
        /// The section is longer than the caller's limit, so its data was discarded.
        case omitted(size: Int)
    }

    /// Upper case: `HEADER`; empty for the whole message.
    public var name: String
    /// The first octet of a partial fetch; nil: a whole section.
    public var origin: UInt32?
    public var content: Content

    public init(name: String, origin: UInt32? = nil, content: Content) {
        self.name = name
        self.origin = origin
        self.content = content
    }
}
