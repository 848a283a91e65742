/// The items of a STATUS response; nil: the server did not send the item. RFC 3501 §7.2.4.
public struct MailboxStatus: Equatable, Sendable {
    public var name: [UInt8]
    public var messages: UInt32?
    public var uidNext: UInt32?
    public var uidValidity: UInt32?
    public var unseen: UInt32?
    public var highestModSeq: UInt64?
    public var recent: UInt32?
    /// Messages with `\Deleted`. RFC 9051 §6.3.11.
    public var deleted: UInt32?
    /// The size of all messages in octets. RFC 8438.
    public var size: UInt64?
    /// A permanent identifier of the mailbox, which renaming does not change. RFC 8474 §4.
    public var mailboxID: String?
    /// The largest message for APPEND, in octets; nil: no limit, or not sent. RFC 7889.
    public var appendLimit: UInt64?

    public init(
        name: [UInt8], messages: UInt32? = nil, uidNext: UInt32? = nil, uidValidity: UInt32? = nil,
        unseen: UInt32? = nil, highestModSeq: UInt64? = nil, recent: UInt32? = nil, deleted: UInt32? = nil,
        size: UInt64? = nil, mailboxID: String? = nil, appendLimit: UInt64? = nil
    ) {
        self.name = name
        self.messages = messages
        self.uidNext = uidNext
        self.uidValidity = uidValidity
        self.unseen = unseen
        self.highestModSeq = highestModSeq
        self.recent = recent
        self.deleted = deleted
        self.size = size
        self.mailboxID = mailboxID
        self.appendLimit = appendLimit
    }
}

extension MailboxStatus {
    static func read(_ cursor: inout Cursor) throws(ParseFailure) -> MailboxStatus {
        var status = MailboxStatus(name: try statusName(&cursor))
        cursor.skipSpaces()
        guard cursor.take(.openParenthesis) else {
            guard cursor.isAtEnd else { throw cursor.failure(.expected("(")) }
            cursor.note(.statusWithoutItems)
            return status
        }
        var count = 0
        while true {
            cursor.skipSpaces()
            if cursor.take(.closeParenthesis) { break }
            try cursor.countItem()
            count += 1
            try statusItem(&cursor, into: &status)
        }
        if count == 0 { cursor.note(.statusWithoutItems) }
        if !cursor.isAtEnd { cursor.note(.trailingSpace) }
        return status
    }

    private static func statusName(_ cursor: inout Cursor) throws(ParseFailure) -> [UInt8] {
        if let name = try cursor.string() { return name }
        let start = cursor.index
        let name = cursor.read { $0 != .space && $0 != .openParenthesis }
        let following = cursor.rest.drop { $0 == .space }
        if following.isEmpty || following.first == .openParenthesis {
            guard !name.isEmpty else { throw cursor.failure(.expected("mailbox name")) }
            return Array(name)
        }
        guard let open = cursor.text.lastIndex(of: .openParenthesis), open > start else {
            throw cursor.failure(.expected("("))
        }
        cursor.note(.unquotedMailbox)
        cursor.index = open
        return Cursor.trimmed(cursor.text[start..<open])
    }

    private static func statusItem(_ cursor: inout Cursor, into status: inout MailboxStatus)
        throws(ParseFailure)
    {
        let name = cursor.word()
        guard !name.isEmpty else { throw cursor.failure(.expected("status item")) }
        cursor.skipSpaces()
        if cursor.take(.minus) {
            cursor.note(.negativeNumber)
            _ = try cursor.number64()
            return
        }
        switch name {
        case "MESSAGES": status.messages = try cursor.number()
        case "RECENT": status.recent = try cursor.number()
        case "DELETED": status.deleted = try cursor.number()
        case "UIDNEXT": status.uidNext = try cursor.number()
        case "UIDVALIDITY": status.uidValidity = try cursor.number()
        case "UNSEEN": status.unseen = try cursor.number()
        case "SIZE": status.size = try cursor.number64()
        case "APPENDLIMIT": status.appendLimit = cursor.skipNil() ? nil : try cursor.number64()
        case "MAILBOXID": status.mailboxID = try cursor.objectID()
        case "HIGHESTMODSEQ":
            let value = try cursor.number64()
            if value == 0 { cursor.note(.invalidModSeq) }
            status.highestModSeq = value == 0 ? nil : value
        default: try cursor.skipValue()
        }
    }
}
