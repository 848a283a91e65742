/// What STATUS says; a number that the server left out is nil. RFC 3501 §7.2.4.
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
    /// Octets of all messages. RFC 8438.
    public var size: UInt64?
    /// The same mailbox under any name. RFC 8474 §4.
    public var mailboxID: String?
    /// The longest message that APPEND takes here; nil also where the server says there is no limit. RFC 7889.
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

extension Cursor {
    mutating func mailboxStatus() throws(ParseFailure) -> MailboxStatus {
        var status = MailboxStatus(name: try statusName())
        skipSpaces()
        guard take(.openParenthesis) else {
            guard isAtEnd else { throw failure(.expected("(")) }
            note(.statusWithoutItems)
            return status
        }
        var count = 0
        while true {
            skipSpaces()
            if take(.closeParenthesis) { break }
            try countItem()
            count += 1
            try statusItem(into: &status)
        }
        if count == 0 { note(.statusWithoutItems) }
        if !isAtEnd { note(.trailingSpace) }
        return status
    }

    private mutating func statusName() throws(ParseFailure) -> [UInt8] {
        if let name = try string() { return name }
        let start = index
        let name = read { $0 != .space && $0 != .openParenthesis }
        let following = rest.drop { $0 == .space }
        if following.isEmpty || following.first == .openParenthesis {
            guard !name.isEmpty else { throw failure(.expected("mailbox name")) }
            return Array(name)
        }
        guard let open = text.lastIndex(of: .openParenthesis), open > start else {
            throw failure(.expected("("))
        }
        note(.unquotedMailbox)
        index = open
        return Self.trimmed(text[start..<open])
    }

    private mutating func statusItem(into status: inout MailboxStatus) throws(ParseFailure) {
        let name = word()
        guard !name.isEmpty else { throw failure(.expected("status item")) }
        skipSpaces()
        if take(.minus) {
            note(.negativeNumber)
            _ = try number64()
            return
        }
        switch name {
        case "MESSAGES": status.messages = try number()
        case "RECENT": status.recent = try number()
        case "DELETED": status.deleted = try number()
        case "UIDNEXT": status.uidNext = try number()
        case "UIDVALIDITY": status.uidValidity = try number()
        case "UNSEEN": status.unseen = try number()
        case "SIZE": status.size = try number64()
        case "APPENDLIMIT": status.appendLimit = skipNil() ? nil : try number64()
        case "MAILBOXID": status.mailboxID = try objectID()
        case "HIGHESTMODSEQ":
            let value = try number64()
            if value == 0 { note(.invalidModSeq) }
            status.highestModSeq = value == 0 ? nil : value
        default: try skipValue()
        }
    }
}
