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
        sections = later.sections + sections.filter { later.section($0.name) == nil }
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
