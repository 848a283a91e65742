public import IMAPProtocol
public import NIOCore

/// One message as the server returned it.
public struct FetchedMessage: Equatable, Sendable {
    public var uid: UInt32
    /// Unchanged; empty if ``missing`` contains `.flags`.
    public var flags: [String]
    /// Seconds since 1970.
    public var internalDate: Int64?
    /// RFC822.SIZE. Some servers estimate it, so it proves nothing.
    public var size: Int?
    public var header: ByteBuffer?
    /// The whole message, or its beginning if `.first` was requested.
    public var body: ByteBuffer?
    public var modSeq: UInt64?
    /// EMAILID: the same for all copies of a message in all mailboxes; nil: the server sent none. It is a hint and
    /// never in ``missing``. RFC 8474 §5.1.
    public var emailID: String?
    /// X-GM-MSGID: the same under all labels. It is a hint, too.
    public var gmailID: UInt64?
    /// X-GM-LABELS in the server's bytes: `\Inbox`, or modified UTF-7.
    public var labels: [[UInt8]]?
    public var structure: BodyStructure?
    /// The sections received, by ``SectionRequest/name``; none is longer than its limit.
    public var sections: [String: ByteBuffer] = [:]
    /// Items that were requested and did not come. Rules must not judge such a message.
    public var missing: Set<Item>
    /// The size of message data that exceeded the caller's limit and was discarded.
    public var omittedSize: Int?

    public enum Item: Hashable, Sendable {
        case flags
        case internalDate
        case size
        case modSeq
        case header
        case body
        case labels
        case structure
        case sections
    }

    public init(
        uid: UInt32, flags: [String] = [], internalDate: Int64? = nil, size: Int? = nil,
        header: ByteBuffer? = nil, body: ByteBuffer? = nil, modSeq: UInt64? = nil,
        missing: Set<Item> = [], omittedSize: Int? = nil
    ) {
        self.uid = uid
        self.flags = flags
        self.internalDate = internalDate
        self.size = size
        self.header = header
        self.body = body
        self.modSeq = modSeq
        self.missing = missing
        self.omittedSize = omittedSize
    }
}
