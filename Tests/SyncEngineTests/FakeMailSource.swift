import MailStore
import Models
import SyncEngine
import SyncPlanner

/// An IMAP account in memory, with the troubles that a real server will not make when asked.
actor FakeMailSource: MailSource {
    struct Stored: Equatable, Sendable {
        var bytes: [UInt8]
        var flags: Set<Flag> = []
        var keywords: Set<Keyword> = []
        /// What the server calls it in every mailbox.
        var remoteID: String?
        /// nil: by its UID, so that the order is that of arrival.
        var received: Int64?

        init(bytes: [UInt8], flags: Set<Flag> = [], remoteID: String? = nil, received: Int64? = nil) {
            self.bytes = bytes
            self.flags = flags
            self.remoteID = remoteID
            self.received = received
        }

        func listed(_ uid: UInt32, _ detail: ListingDetail = .everything) -> ListedMessage {
            var listed = ListedMessage(uid: uid, flags: flags, keywords: keywords)
            guard detail == .everything else { return listed }
            listed.remoteID = remoteID
            listed.size = bytes.count
            listed.received = Timestamp(seconds: received ?? 1_000 + Int64(uid))
            return listed
        }
    }

    struct Box: Sendable {
        var mailbox: Mailbox
        var uidValidity: UInt32 = 7
        var uidNext: UInt32 = 1
        /// nil: the server has no CONDSTORE.
        var modSeq: UInt64?
        var messages: [UInt32: Stored] = [:]
        /// When each message changed last, and when it went.
        var changedAt: [UInt32: UInt64] = [:]
        var goneAt: [UInt32: UInt64] = [:]
        /// What a lying server says instead.
        var claims = Claims()
    }

    struct Claims: Sendable {
        var vanished: [ClosedRange<UInt32>]?
        var highestModSeq: UInt64?
        var uidNext: UInt32?
        var exists: Int?
        /// Left out of every listing, or of the list of UIDs, as if the answer had been cut off.
        var unlisted: Set<UInt32> = []
        var unfound: Set<UInt32> = []
        var isUnreadable = false
    }

    struct Trouble: Error, Equatable {}

    private var boxes: [MailboxName: Box] = [:]
    private var unreadable: Set<UInt32> = []
    private var fetchBreaksAfter: Int?
    private var openFailure: [MailboxName: any Error] = [:]
    /// What was asked for, in order: `INBOX`, and `INBOX 1` for a message.
    private(set) var opened: [String] = []
    private(set) var fetched: [String] = []
    /// Messages whose header alone was read.
    private(set) var headed: [String] = []
    private(set) var listings = 0
    /// How many marks of known messages were sent, and how often all UIDs were requested.
    private(set) var reportedMarks = 0
    private(set) var searches = 0
    /// Mailboxes that were followed in a pass over many.
    private(set) var passed: [String] = []
    private let tracking: ChangeTracking
    /// Whether numbers are listed before a mailbox is opened.
    private var tellsNumbers = true
    private var namesMessages = false
    private var views: Set<MailboxName> = []

    init(_ mailboxes: [Mailbox], modSeq: UInt64? = nil, tracking: ChangeTracking? = nil) {
        self.tracking = tracking ?? (modSeq == nil ? .none : .condstore)
        for mailbox in mailboxes { boxes[mailbox.name] = Box(mailbox: mailbox, modSeq: modSeq) }
    }

    // MARK: What other programs do

    func change(_ name: MailboxName = .inbox, _ body: @Sendable (inout Box) -> Void) {
        guard let before = boxes[name] else { return }
        var box = before
        body(&box)
        if let modSeq = box.modSeq {
            box.modSeq = modSeq + 1
            for (uid, message) in box.messages where before.messages[uid] != message {
                box.changedAt[uid] = modSeq + 1
            }
            for uid in before.messages.keys where box.messages[uid] == nil { box.goneAt[uid] = modSeq + 1 }
        }
        boxes[name] = box
    }

    func deliver(_ messages: [[UInt8]], to name: MailboxName = .inbox, flags: Set<Flag> = []) {
        deliver(messages.map { Stored(bytes: $0, flags: flags) }, to: name)
    }

    func deliver(_ messages: [Stored], to name: MailboxName = .inbox) {
        change(name) { box in
            for message in messages {
                box.messages[box.uidNext] = message
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
    func claim(_ name: MailboxName = .inbox, _ body: @Sendable (inout Claims) -> Void) {
        guard var claims = boxes[name]?.claims else { return }
        body(&claims)
        boxes[name]?.claims = claims
    }
    func tellNoNumbers() { tellsNumbers = false }
    /// As Gmail does, with mailboxes that only show messages of others again.
    func nameMessages(views: Set<MailboxName> = []) {
        namesMessages = true
        self.views = views
    }
    func forgetRequests() {
        headed = []
        reportedMarks = 0
        searches = 0
        passed = []
        opened = []
        fetched = []
        listings = 0
    }

    // MARK: MailSource

    func mailboxes() throws -> [Mailbox] { boxes.values.map(\.mailbox).sorted { $0.name < $1.name } }

    func survey() throws -> AccountSurvey {
        let entries = try mailboxes().map { mailbox in
            let box = boxes[mailbox.name]
            return AccountSurvey.Entry(
                mailbox: mailbox, numbers: tellsNumbers && box?.modSeq != nil ? box.map(numbers) : nil,
                isView: views.contains(mailbox.name))
        }
        return AccountSurvey(entries: entries, tracking: tracking, namesMessages: namesMessages)
    }

    private func numbers(_ box: Box) -> SourceMailbox {
        SourceMailbox(
            uidValidity: box.uidValidity, uidNext: box.claims.uidNext ?? box.uidNext,
            highestModSeq: box.claims.highestModSeq ?? box.modSeq,
            exists: box.claims.exists ?? box.messages.count)
    }

    func open(_ mailbox: Mailbox, since known: KnownMailbox?) throws -> SourceMailbox {
        if let error = openFailure[mailbox.name] { throw error }
        guard let box = boxes[mailbox.name] else { throw Trouble() }
        opened.append(mailbox.displayName)
        var server = numbers(box)
        if let known, known.uidValidity == box.uidValidity {
            var changes = changes(box, since: known.modSeq, below: known.below)
            changes.vanished =
                box.claims.vanished ?? box.goneAt.filter { $0.value > known.modSeq }.map { $0.key...$0.key }
            changes.isComplete = !box.claims.isUnreadable
            server.changes = changes
        }
        return server
    }

    func resynchronize(
        _ wishes: [ResyncWish], limit: Int, deliver: @Sendable (Int, RawMessage) async throws -> Void
    ) async throws -> [SourceMailbox?] {
        var results: [SourceMailbox?] = []
        for (index, wish) in wishes.enumerated() {
            guard openFailure[wish.mailbox.name] == nil else {
                results.append(nil)
                continue
            }
            passed.append(wish.mailbox.displayName)
            let server = try open(wish.mailbox, since: wish.known)
            opened.removeLast()
            results.append(server.changes == nil ? nil : server)
            guard wish.new != .none, let box = boxes[wish.mailbox.name] else { continue }
            var count = 0
            for (uid, message) in box.messages.sorted(by: { $0.key < $1.key }) where uid >= wish.known.below {
                guard !unreadable.contains(uid), !box.claims.unlisted.contains(uid) else { continue }
                if count == fetchBreaksAfter { throw SourceUnavailable(Trouble()) }
                let header = message.bytes.prefix(headerLength(message.bytes))
                let listed = message.listed(uid)
                if wish.new == .messages { fetched.append("\(wish.mailbox.displayName) \(uid)") }
                try await deliver(
                    index,
                    RawMessage(
                        listed: listed, bytes: wish.new == .messages ? message.bytes : Array(header),
                        isTruncated: false))
                count += 1
            }
        }
        return results
    }

    private func headerLength(_ bytes: [UInt8]) -> Int {
        let end = Array("\r\n\r\n".utf8)
        let start = bytes.indices.first { bytes[$0...].starts(with: end) }
        return start.map { $0 + end.count } ?? bytes.count
    }

    func changes(of mailbox: Mailbox, since modSeq: UInt64, below uid: UInt32) throws -> SourceChanges {
        guard let box = boxes[mailbox.name] else { throw Trouble() }
        return changes(box, since: modSeq, below: uid)
    }

    private func changes(_ box: Box, since modSeq: UInt64, below uid: UInt32) -> SourceChanges {
        let marks = box.messages.filter { $0.key < uid && box.changedAt[$0.key, default: 0] > modSeq }
            .map { MessageMarks(uid: $0.key, flags: $0.value.flags, keywords: $0.value.keywords) }
        reportedMarks += marks.count
        return SourceChanges(marks: marks, isComplete: !box.claims.isUnreadable)
    }

    func uids(of mailbox: Mailbox) throws -> UIDListing? {
        guard let box = boxes[mailbox.name] else { throw Trouble() }
        searches += 1
        return UIDListing(
            uids: box.messages.keys.filter { !box.claims.unfound.contains($0) }.sorted(),
            isComplete: !box.claims.isUnreadable)
    }

    func listing(
        of mailbox: Mailbox, uids: ClosedRange<UInt32>, detail: ListingDetail
    ) throws -> MessageListing {
        guard let box = boxes[mailbox.name] else { throw Trouble() }
        listings += 1
        let listed = box.messages.filter { uids.contains($0.key) && !box.claims.unlisted.contains($0.key) }
        reportedMarks += listed.keys.count { $0 < box.uidNext }
        return MessageListing(
            listed.sorted { $0.key < $1.key }.map { $0.value.listed($0.key, detail) },
            isComplete: !box.claims.isUnreadable)
    }

    func headers(
        of messages: [ListedMessage], in mailbox: Mailbox,
        deliver: @Sendable (RawMessage) async throws -> Void
    ) async throws {
        for (count, listed) in messages.enumerated() {
            if count == fetchBreaksAfter { throw SourceUnavailable(Trouble()) }
            guard !unreadable.contains(listed.uid),
                let bytes = boxes[mailbox.name]?.messages[listed.uid]?.bytes
            else { continue }
            headed.append("\(mailbox.displayName) \(listed.uid)")
            try await deliver(
                RawMessage(
                    listed: listed, bytes: Array(bytes.prefix(headerLength(bytes))), isTruncated: false))
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
