import IMAPProtocol
import SASL

/// The name of a mailbox for people, and in the protocol.
public struct MailboxNameInspection: Encodable, Sendable {
    public var name: String
    public var wire: String
    /// Present if `wire` is not exact, because the octets are not UTF-8.
    public var wireBase64: String?

    init(_ bytes: [UInt8]) {
        name = ModifiedUTF7.displayName(bytes)
        wire = words(bytes)
        wireBase64 = wire.utf8.elementsEqual(bytes) ? nil : Base64.encode(bytes)
    }
}

/// One mailbox in LIST, LSUB or XLIST.
public struct ListInspection: Encodable, Sendable {
    public var mailbox: MailboxNameInspection
    public var delimiter: String?
    public var attributes: [String]
    /// The role by its attributes: `sent`; the first of several.
    public var role: String?
    public var selectable: Bool
    public var childInfo: [String]
    public var oldName: MailboxNameInspection?

    init(_ response: ListResponse) {
        mailbox = MailboxNameInspection(response.name)
        delimiter = response.delimiter.map { words([$0]) }
        attributes = response.attributes
        let isInbox = words(response.name).uppercased() == "INBOX"
        let said = response.attributes.lazy.compactMap(SpecialUse.init(attribute:)).first
        role = isInbox ? SpecialUse.inbox.rawValue : said?.rawValue
        selectable = response.isSelectable
        childInfo = response.childInfo
        oldName = response.oldName.map(MailboxNameInspection.init)
    }
}

/// The items of a STATUS response.
public struct MailboxStatusInspection: Encodable, Sendable {
    public var mailbox: MailboxNameInspection
    public var messages: UInt32?
    public var recent: UInt32?
    public var unseen: UInt32?
    public var deleted: UInt32?
    public var uidNext: UInt32?
    public var uidValidity: UInt32?
    public var highestModSeq: UInt64?
    public var size: UInt64?
    public var mailboxID: String?
    public var appendLimit: UInt64?

    init(_ status: MailboxStatus) {
        mailbox = MailboxNameInspection(status.name)
        messages = status.messages
        recent = status.recent
        unseen = status.unseen
        deleted = status.deleted
        uidNext = status.uidNext
        uidValidity = status.uidValidity
        highestModSeq = status.highestModSeq
        size = status.size
        mailboxID = status.mailboxID
        appendLimit = status.appendLimit
    }
}

/// The result of SEARCH or ESEARCH.
public struct SearchInspection: Encodable, Sendable {
    /// The tag of the command, if the server sent it.
    public var tag: String?
    /// Whether the numbers are UIDs; nil: a SEARCH does not show it.
    public var uid: Bool?
    /// The number of matches; for ESEARCH, as the server counted.
    public var count: UInt64?
    /// As a set, `1:4,7`; nil: the server did not list them.
    public var numbers: String?
    public var min: UInt32?
    public var max: UInt32?
    public var highestModSeq: UInt64?
    public var partial: String?

    init(_ found: SearchResponse) {
        count = UInt64(found.numbers.count)
        numbers = UIDSet(found.numbers).description
        highestModSeq = found.highestModSeq
    }

    init(_ found: ESearchResponse) {
        tag = found.tag?.rawValue
        uid = found.isUID
        count = found.count.map(UInt64.init)
        numbers = found.all?.description
        min = found.min
        max = found.max
        highestModSeq = found.highestModSeq
        partial = found.partial?.description
    }
}

/// Messages that are gone.
public struct VanishedInspection: Encodable, Sendable {
    /// As a set, `1:4,7`.
    public var uids: String
    public var count: Int
    /// Whether they were gone before the mailbox was opened.
    public var earlier: Bool

    init(_ gone: VanishedUIDs) {
        uids = gone.uids.description
        count = gone.uids.count
        earlier = gone.isEarlier
    }
}
