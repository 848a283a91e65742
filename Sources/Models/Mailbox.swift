/// A mailbox, and the place of a message in it.

/// The exact name of a mailbox as its server spells it. RFC 3501 §5.1.3.
///
/// Names are bytes: opus decodes a name to show it, and sends it back byte for byte. Some servers use invalid modified
/// UTF-7 or 8-bit names.
public struct MailboxName: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let bytes: [UInt8]

    public init(bytes: [UInt8]) { self.bytes = bytes }
    public init(_ text: String) { bytes = Array(text.utf8) }

    public static let inbox = MailboxName("INBOX")

    /// The name as text, to show it: bytes that are not UTF-8 are replaced.
    public var description: String { String(decoding: bytes, as: UTF8.self) }

    public static func < (a: Self, b: Self) -> Bool { a.bytes.lexicographicallyPrecedes(b.bytes) }
}

extension MailboxName: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            self.init(text)
        } else {
            self.init(bytes: try container.decode([UInt8].self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let text = String(validating: bytes, as: UTF8.self) {
            try container.encode(text)
        } else {
            try container.encode(bytes)
        }
    }
}

/// The purpose of a mailbox: the roles of RFC 6154 (special use) and RFC 8621 §2, and `deferred`, which is opus's own.
public enum MailboxRole: String, Hashable, Codable, CaseIterable, Sendable {
    case inbox
    case archive
    case drafts
    case sent
    case trash
    case junk
    case flagged
    case all
    /// Holds deferred messages; servers do not know this role.
    case deferred
}

/// A container of messages in one account.
public struct Mailbox: Hashable, Codable, Sendable {
    public var account: AccountID
    public var name: MailboxName
    /// The name decoded for people, with the server's hierarchy delimiter.
    public var displayName: String
    public var delimiter: String?
    public var role: MailboxRole?
    /// What the server puts before the names of all mailboxes of the user, such as `Mail/`; nil: nothing, or only the
    /// `INBOX.` that the names themselves show. RFC 2342 §5.
    public var personalPrefix: String?

    public init(
        account: AccountID, name: MailboxName, displayName: String, delimiter: String? = nil,
        role: MailboxRole? = nil, personalPrefix: String? = nil
    ) {
        self.account = account
        self.name = name
        self.displayName = displayName
        self.delimiter = delimiter
        self.role = role
        self.personalPrefix = personalPrefix
    }

    /// Whether it is one of the mailboxes below `parent`.
    public func isBelow(_ parent: Mailbox) -> Bool {
        guard let delimiter = parent.delimiter, !delimiter.isEmpty else { return false }
        return displayName.hasPrefix(parent.displayName + delimiter)
    }

    /// The name as people write it for any server: `/` between the levels, without the ``personalPrefix`` and without the
    /// `INBOX.` that some servers (Courier, old Cyrus) put before every name.
    public var plainName: String {
        guard let delimiter, !delimiter.isEmpty else { return displayName }
        let prefix = [personalPrefix ?? "", "INBOX" + delimiter].first {
            !$0.isEmpty && displayName.hasPrefix($0)
        }
        let name = String(displayName.dropFirst(prefix?.count ?? 0))
        return delimiter == "/"
            ? name
            : name.split(separator: delimiter, omittingEmptySubsequences: false)
                .joined(separator: "/")
    }
}

extension Mailbox {
    /// Whether it has one of these names, in any case, with or without the prefix of the server.
    public func isNamed(_ names: [String]) -> Bool {
        let own = [displayName.lowercased(), plainName.lowercased()]
        return names.contains { own.contains($0.lowercased()) }
    }
}

extension [Mailbox] {
    /// The same mailboxes; those with these names and without a role hold sent mail, too.
    public func withSent(_ names: [String]) -> [Mailbox] {
        map { mailbox in
            guard mailbox.role == nil, mailbox.isNamed(names) else { return mailbox }
            var sent = mailbox
            sent.role = .sent
            return sent
        }
    }

    /// The mailbox with this name in the server's form. Two names may differ only in their Unicode normalization, so the one
    /// with the same bytes comes first.
    public func named(_ displayName: String) -> Mailbox? {
        first { $0.displayName.utf8.elementsEqual(displayName.utf8) }
            ?? first { $0.displayName == displayName }
    }

    /// The name of each mailbox of one account for people: the plain name, and the server's form if two plain names are
    /// equal, as of `Sub` and `INBOX/Sub`.
    public var namesForPeople: [MailboxName: String] {
        let named = Dictionary(grouping: self, by: \.plainName)
        return Dictionary(
            map { ($0.name, named[$0.plainName]?.count == 1 ? $0.plainName : $0.displayName) },
            uniquingKeysWith: { first, _ in first })
    }
}

/// The place of a message: account, mailbox, UIDVALIDITY and UID.
///
/// It names a place, not the message: the same message has another key after a move.
/// RFC 3501 §2.3.1.1. In a Maildir the store hands out the UIDs.
public struct MessageKey: Hashable, Codable, Sendable {
    public var account: AccountID
    public var mailbox: MailboxName
    public var uidValidity: UInt32
    public var uid: UInt32

    public init(account: AccountID, mailbox: MailboxName, uidValidity: UInt32, uid: UInt32) {
        self.account = account
        self.mailbox = mailbox
        self.uidValidity = uidValidity
        self.uid = uid
    }
}
