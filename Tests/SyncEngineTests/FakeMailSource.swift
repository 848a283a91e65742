import Models
import SyncEngine

/// An IMAP account in memory, with the troubles that a real server will not make when asked.
actor FakeMailSource: MailSource {
    struct Stored: Sendable {
        var bytes: [UInt8]
        var flags: Set<Flag> = []
        var keywords: Set<Keyword> = []
    }

    struct Box: Sendable {
        var mailbox: Mailbox
        var uidValidity: UInt32 = 7
        var uidNext: UInt32 = 1
        /// nil: the server has no CONDSTORE.
        var modSeq: UInt64?
        var messages: [UInt32: Stored] = [:]
    }

    struct Trouble: Error, Equatable {}

    private var boxes: [MailboxName: Box] = [:]
    private var unreadable: Set<UInt32> = []
    private var fetchBreaksAfter: Int?
    private var openFailure: [MailboxName: any Error] = [:]
    /// What was asked for, in order: `INBOX`, and `INBOX 1` for a message.
    private(set) var opened: [String] = []
    private(set) var fetched: [String] = []
    private(set) var listings = 0

    init(_ mailboxes: [Mailbox], modSeq: UInt64? = nil) {
        for mailbox in mailboxes { boxes[mailbox.name] = Box(mailbox: mailbox, modSeq: modSeq) }
    }

    // MARK: What other programs do

    func change(_ name: MailboxName = .inbox, _ body: @Sendable (inout Box) -> Void) {
        guard var box = boxes[name] else { return }
        body(&box)
        if let modSeq = box.modSeq { box.modSeq = modSeq + 1 }
        boxes[name] = box
    }

    func deliver(_ messages: [[UInt8]], to name: MailboxName = .inbox, flags: Set<Flag> = []) {
        change(name) { box in
            for bytes in messages {
                box.messages[box.uidNext] = Stored(bytes: bytes, flags: flags)
                box.uidNext += 1
            }
        }
    }

    func remove(_ uids: [UInt32], from name: MailboxName = .inbox) {
        change(name) { box in
            for uid in uids { box.messages[uid] = nil }
        }
    }

    /// The messages that were there: a disk that is unmounted, and mounted again with what it held.
    func swap(_ messages: [UInt32: Stored]) -> [UInt32: Stored] {
        let old = boxes[.inbox]?.messages ?? [:]
        boxes[.inbox]?.messages = messages
        return old
    }

    // MARK: Troubles

    func makeUnreadable(_ uids: Set<UInt32>) { unreadable = uids }
    func breakFetch(after count: Int?) { fetchBreaksAfter = count }
    func failToOpen(_ name: MailboxName, with error: (any Error)?) { openFailure[name] = error }
    func forgetRequests() {
        opened = []
        fetched = []
        listings = 0
    }

    // MARK: MailSource

    func mailboxes() throws -> [Mailbox] { boxes.values.map(\.mailbox).sorted { $0.name < $1.name } }

    func open(_ mailbox: Mailbox) throws -> SourceMailbox {
        if let error = openFailure[mailbox.name] { throw error }
        guard let box = boxes[mailbox.name] else { throw Trouble() }
        opened.append(mailbox.displayName)
        return SourceMailbox(
            uidValidity: box.uidValidity, uidNext: box.uidNext, highestModSeq: box.modSeq,
            exists: box.messages.count)
    }

    func listing(of mailbox: Mailbox, from: UInt32) throws -> [ListedMessage] {
        guard let box = boxes[mailbox.name] else { throw Trouble() }
        listings += 1
        return box.messages.filter { $0.key >= from }.sorted { $0.key < $1.key }.map { uid, message in
            ListedMessage(
                uid: uid, flags: message.flags, keywords: message.keywords, size: message.bytes.count,
                received: Timestamp(seconds: 1_000 + Int64(uid)))
        }
    }

    func fetch(
        _ messages: [ListedMessage], of mailbox: Mailbox, limit: Int,
        deliver: @Sendable (RawMessage) async throws -> Void
    ) async throws {
        var delivered = 0
        for listed in messages {
            if delivered == fetchBreaksAfter { throw SourceUnavailable(Trouble()) }
            guard !unreadable.contains(listed.uid),
                let bytes = boxes[mailbox.name]?.messages[listed.uid]?.bytes
            else { continue }
            fetched.append("\(mailbox.displayName) \(listed.uid)")
            try await deliver(
                RawMessage(
                    listed: listed, bytes: Array(bytes.prefix(limit)), isTruncated: bytes.count > limit))
            delivered += 1
        }
    }
}
