/// The truth of the account: mailboxes, messages, flags and numbers, as every client would agree on after quiet.
///
/// A pure value. Other clients of the account are direct calls on it; our client comes in through a session.
/// On Gmail a mailbox is a view of labels: see `MailModel+Gmail.swift`.
public struct MailModel: Sendable {
    /// What a message is, wherever it stands.
    public struct Content: Equatable, Sendable {
        public var bytes: [UInt8]
        /// RFC 8474; the same in every mailbox.
        public var emailID: String
        public var gmailID: UInt64
        /// Gmail only. `\Inbox`, or the name of a mailbox.
        public var labels: Set<String> = []
        public var shelf = Shelf.normal
        /// Whether the server can hand it out at all.
        public var isReadable = true
    }

    /// Gmail keeps what is in Trash and Spam apart from everything else.
    public enum Shelf: Equatable, Sendable {
        case normal
        case trash
        case junk
    }

    /// A message in a mailbox.
    public struct Message: Equatable, Sendable {
        public var uid: UInt32
        /// Index into ``MailModel/contents``.
        public var content: Int
        public var flags: Set<String>
        public var modSeq: UInt64
        public var internalDate: Int64
    }

    public struct Mailbox: Equatable, Sendable {
        /// As it travels: modified UTF-7.
        public var name: String
        public var attributes: [String]
        public var uidValidity: UInt32
        public var uidNext: UInt32 = 1
        public var highestModSeq: UInt64 = 1
        /// Ascending by UID.
        public var messages: [Message] = []
        /// What was expunged, and when.
        public var expunged: [Expunged] = []
        /// SELECT and EXAMINE answer NO.
        public var refusesSelect = false

        public var isSelectable: Bool { !attributes.contains("\\Noselect") }
    }

    public struct Expunged: Equatable, Sendable {
        public var uid: UInt32
        public var modSeq: UInt64
    }

    /// In the order in which LIST shows them.
    public internal(set) var mailboxes: [Mailbox]
    public internal(set) var contents: [Content] = []
    /// Gmail: what was removed for good.
    var destroyed: Set<Int> = []
    public var clock = VirtualClock()
    public let isGmailAccount: Bool

    public init(_ mailboxes: [(name: String, attributes: [String])], isGmail: Bool = false) {
        self.mailboxes = mailboxes.enumerated().map { index, mailbox in
            Mailbox(
                name: mailbox.name, attributes: mailbox.attributes, uidValidity: UInt32(1_000 + index * 10))
        }
        isGmailAccount = isGmail
    }
}

// MARK: - Mail stores that keep marks in the header

extension MailModel {
    /// Puts these fields on top of every message, as a server does that writes them with each change of a flag.
    public mutating func rewriteHeaders(_ fields: String) {
        for index in contents.indices { contents[index].bytes = Array(fields.utf8) + contents[index].bytes }
    }
}

// MARK: - Finding

extension MailModel {
    public subscript(name: String) -> Mailbox? { index(of: name).map { mailboxes[$0] } }

    /// INBOX in any case, everything else to the byte.
    func index(of name: String) -> Int? {
        let isInbox = name.uppercased() == "INBOX"
        return mailboxes.firstIndex { $0.name == name || (isInbox && $0.name == "INBOX") }
    }

    /// The mailbox of that special use: `\Trash`.
    public func name(of attribute: String) -> String? {
        mailboxes.first { $0.attributes.contains(attribute) }?.name
    }

    public func messages(_ mailbox: String) -> [Message] { self[mailbox]?.messages ?? [] }

    public func bytes(_ message: Message) -> [UInt8] { contents[message.content].bytes }
}

// MARK: - What clients do

extension MailModel {
    /// Mail arrives; answers with its UID there.
    @discardableResult
    public mutating func deliver(
        _ bytes: [UInt8], to name: String = "INBOX", flags: Set<String> = [], date: Int64? = nil
    ) -> UInt32 {
        guard let box = index(of: name) else { return 0 }
        let id = contents.count
        contents.append(
            Content(bytes: bytes, emailID: "M\(id + 1)", gmailID: 1_700_000_000_000_000_000 + UInt64(id)))
        if isGmailAccount {
            addToView(box, content: id)
            project(dates: [id: date ?? clock.now], flags: [id: flags])
            return mailboxes[box].messages.last { $0.content == id }?.uid ?? 0
        }
        return place(id, in: box, flags: flags, date: date ?? clock.now)
    }

    /// Adds and removes flags; answers with the UIDs whose flags are others now.
    @discardableResult
    public mutating func changeFlags(
        _ uids: [UInt32], in name: String, add: Set<String> = [], remove: Set<String> = []
    ) -> [UInt32] {
        guard let box = index(of: name) else { return [] }
        var changed: [UInt32] = []
        for uid in uids {
            guard let at = mailboxes[box].position(of: uid) else { continue }
            let flags = mailboxes[box].messages[at].flags.subtracting(remove).union(add)
            guard flags != mailboxes[box].messages[at].flags else { continue }
            changed.append(uid)
            setFlags(flags, of: mailboxes[box].messages[at].content, in: box, at: at)
        }
        if isGmailAccount { project() }
        return changed
    }

    /// Flags belong to a place; on Gmail to the message.
    private mutating func setFlags(_ flags: Set<String>, of content: Int, in box: Int, at: Int) {
        guard isGmailAccount else {
            mailboxes[box].touch(at) { $0.flags = flags }
            return
        }
        for other in mailboxes.indices {
            guard let at = mailboxes[other].messages.firstIndex(where: { $0.content == content }) else {
                continue
            }
            mailboxes[other].touch(at) { $0.flags = flags }
        }
    }

    /// Copies messages; answers with old and new UID of each, in order.
    @discardableResult
    public mutating func copy(_ uids: [UInt32], from: String, to: String) -> [(old: UInt32, new: UInt32)] {
        guard let source = index(of: from), let destination = index(of: to) else { return [] }
        var pairs: [(old: UInt32, new: UInt32)] = []
        for uid in uids {
            guard let message = mailboxes[source].message(uid) else { continue }
            if isGmailAccount {
                addToView(destination, content: message.content)
                project()
                let new = mailboxes[destination].messages.last { $0.content == message.content }?.uid
                pairs.append((uid, new ?? 0))
            } else {
                let new = place(
                    message.content, in: destination, flags: message.flags, date: message.internalDate)
                pairs.append((uid, new))
            }
        }
        return pairs
    }

    /// Moves messages; answers with old and new UID of each, in order.
    @discardableResult
    public mutating func move(_ uids: [UInt32], from: String, to: String) -> [(old: UInt32, new: UInt32)] {
        guard let source = index(of: from), let destination = index(of: to) else { return [] }
        let there = uids.compactMap { mailboxes[source].message($0) }
        let pairs = copy(there.map(\.uid), from: from, to: to)
        guard source != destination else { return pairs }
        if isGmailAccount {
            for message in there { removeFromView(source, content: message.content, into: destination) }
            project()
        } else {
            mailboxes[source].remove(there.map(\.uid))
        }
        return pairs
    }

    /// Messages go for good. On Gmail only from Trash and Spam: elsewhere they lose the label of the mailbox.
    public mutating func expunge(_ uids: [UInt32], in name: String) {
        guard let box = index(of: name) else { return }
        guard isGmailAccount else { return mailboxes[box].remove(uids) }
        for message in uids.compactMap({ mailboxes[box].message($0) }) {
            removeFromView(box, content: message.content, into: nil)
        }
        project()
    }

    public mutating func create(_ name: String) {
        guard index(of: name) == nil else { return }
        let validity = (mailboxes.map(\.uidValidity).max() ?? 1_000) + 10
        mailboxes.append(Mailbox(name: name, attributes: [], uidValidity: validity))
    }

    public mutating func delete(_ name: String) {
        mailboxes.removeAll { $0.name == name }
    }
}

// MARK: - What servers do

extension MailModel {
    /// A new UIDVALIDITY, and new UIDs: old UIDs are no longer valid.
    public mutating func changeUIDValidity(of name: String) {
        guard let box = index(of: name) else { return }
        mailboxes[box].uidValidity += 1
        mailboxes[box].expunged = []
        mailboxes[box].uidNext = 1
        let messages = mailboxes[box].messages
        mailboxes[box].messages = []
        mailboxes[box].highestModSeq = 1
        for message in messages {
            place(message.content, in: box, flags: message.flags, date: message.internalDate)
        }
    }

    /// Whether the server can hand out the message.
    public mutating func setReadable(_ isReadable: Bool, uid: UInt32, in name: String) {
        guard let message = self[name]?.message(uid) else { return }
        contents[message.content].isReadable = isReadable
    }

    /// Whether the mailbox can be opened.
    public mutating func setRefusesSelect(_ refuses: Bool, _ name: String) {
        guard let box = index(of: name) else { return }
        mailboxes[box].refusesSelect = refuses
    }

    @discardableResult
    mutating func place(_ content: Int, in box: Int, flags: Set<String>, date: Int64) -> UInt32 {
        mailboxes[box].highestModSeq += 1
        let uid = mailboxes[box].uidNext
        mailboxes[box].uidNext += 1
        mailboxes[box].messages.append(
            Message(
                uid: uid, content: content, flags: flags, modSeq: mailboxes[box].highestModSeq,
                internalDate: date))
        return uid
    }
}

extension MailModel.Mailbox {
    public func message(_ uid: UInt32) -> MailModel.Message? { position(of: uid).map { messages[$0] } }

    func position(of uid: UInt32) -> Int? {
        var low = 0
        var high = messages.count
        while low < high {
            let middle = (low + high) / 2
            if messages[middle].uid < uid { low = middle + 1 } else { high = middle }
        }
        return low < messages.count && messages[low].uid == uid ? low : nil
    }

    /// Changes a message; CONDSTORE clients hear of it.
    mutating func touch(_ at: Int, _ change: (inout MailModel.Message) -> Void) {
        highestModSeq += 1
        change(&messages[at])
        messages[at].modSeq = highestModSeq
    }

    mutating func remove(_ uids: [UInt32]) {
        let gone = Set(uids)
        let there = messages.filter { gone.contains($0.uid) }.map(\.uid)
        guard !there.isEmpty else { return }
        highestModSeq += 1
        messages.removeAll { gone.contains($0.uid) }
        expunged += there.map { MailModel.Expunged(uid: $0, modSeq: highestModSeq) }
    }
}
