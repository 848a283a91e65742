public import IMAPClient
import IMAPProtocol
import MailStore
public import Models
import NIOCore
import SyncPlanner

/// An IMAP account as a ``MailSource``.
///
/// Mailboxes are opened with EXAMINE: looking at mail marks nothing. Messages up to the limit are read whole,
/// longer ones up to it. UIDs are asked for up to 4294967295 and never as `*`, which Cyrus resolves against
/// what it shows.
public struct IMAPMailSource: MailSource {
    let client: IMAPClient
    let account: AccountID
    /// The user's own words for roles, by display name.
    let folders: [MailboxRole: String]

    public init(client: IMAPClient, account: AccountID, folders: [MailboxRole: String] = [:]) {
        self.client = client
        self.account = account
        self.folders = folders
    }

    /// Messages asked for in one go.
    private static let chunk = 500

    public func mailboxes() async throws -> [Mailbox] {
        named(try await ending { () throws(IMAPClientError) in try await client.list() }).map(\.mailbox)
    }

    public func survey() async throws -> AccountSurvey {
        let surveyed = try await ending { () throws(IMAPClientError) in
            // Gmail shows everything again in these: nobody looks there.
            try await client.survey { $0.role != .all && $0.role != .flagged }
        }
        let numbers = Dictionary(
            surveyed.map { ($0.listing.name, $0.status.flatMap(SourceMailbox.init)) },
            uniquingKeysWith: { first, _ in first })
        let entries = named(surveyed.map(\.listing)).map { listing, mailbox in
            AccountSurvey.Entry(mailbox: mailbox, numbers: numbers[listing.name] ?? nil)
        }
        return AccountSurvey(entries: entries, tracking: await client.changeReporting.inOurWords)
    }

    private func named(_ listings: [MailboxListing]) -> [(listing: MailboxListing, mailbox: Mailbox)] {
        var named = listings.filter(\.isSelectable).map { listing in
            (
                listing: listing,
                mailbox: Mailbox(
                    account: account, name: MailboxName(bytes: listing.name),
                    displayName: listing.displayName, delimiter: listing.delimiter,
                    role: listing.role.flatMap { MailboxRole(rawValue: $0.rawValue) })
            )
        }
        if !named.contains(where: { $0.mailbox.role == .deferred }) {
            let deferred = named.firstIndex {
                $0.mailbox.role == nil && $0.mailbox.displayName.lowercased().hasSuffix("deferred")
            }
            if let deferred { named[deferred].mailbox.role = .deferred }
        }
        for (role, name) in folders {
            // The user's own name wins, also over a mailbox that the server calls so and while it has yet to be made.
            for other in named.indices where named[other].mailbox.role == role {
                named[other].mailbox.role = nil
            }
            if let index = named.firstIndex(where: { $0.mailbox.displayName == name }) {
                named[index].mailbox.role = role
            }
        }
        return named
    }

    public func open(_ mailbox: Mailbox, since known: KnownMailbox?) async throws -> SourceMailbox {
        let selected = try await ending { () throws(IMAPClientError) in
            try await client.select(
                mailbox.name.bytes, readOnly: true, since: known.map(SelectRequest.KnownState.init))
        }
        return SourceMailbox(selected)
    }

    public func resynchronize(
        _ wishes: [ResyncWish], limit: Int, deliver: @Sendable (Int, RawMessage) async throws -> Void
    ) async throws -> [SourceMailbox?] {
        var requests: [ResyncRequest] = []
        var indices: [Int] = []
        for (index, wish) in wishes.enumerated() where await client.canPipeline(wish.mailbox.name.bytes) {
            indices.append(index)
            requests.append(ResyncRequest(wish, limit: limit))
        }
        var results: [SourceMailbox?] = wishes.map { _ in nil }
        do {
            let answers = try await client.resynchronize(requests) { request, message in
                let index = indices[request]
                guard let raw = RawMessage(message, wish: wishes[index], limit: limit) else { return }
                try await deliver(index, raw)
            }
            for (index, answer) in zip(indices, answers) { results[index] = answer.map(SourceMailbox.init) }
        } catch let error as IMAPClientError {
            throw error.endsTheSession ? SourceUnavailable(error) : error
        }
        return results
    }

    public func changes(
        of mailbox: Mailbox, since modSeq: UInt64, below uid: UInt32
    ) async throws -> SourceChanges {
        guard uid > 1 else { return SourceChanges() }
        var changes = SourceChanges()
        let lost = await client.lostAnswerCount
        let items = FetchItems(flags: true, changedSince: modSeq)
        try await fetching(UIDSet(1...(uid - 1)), items) { message in
            guard message.uid != 0 else { return }
            guard !message.missing.contains(.flags) else {
                changes.isComplete = false
                return
            }
            changes.marks.append(FlagUpdate(uid: message.uid, atoms: message.flags))
        }
        if await client.lostAnswerCount != lost { changes.isComplete = false }
        return changes
    }

    public func uids(of mailbox: Mailbox) async throws -> UIDListing? {
        let lost = await client.lostAnswerCount
        let uids = try await ending { () throws(IMAPClientError) in try await client.search(.all) }
        return UIDListing(uids: uids, isComplete: await client.lostAnswerCount == lost)
    }

    public func listing(
        of mailbox: Mailbox, from: UInt32, detail: ListingDetail
    ) async throws -> MessageListing {
        var listed: [ListedMessage] = []
        var isComplete = true
        let lost = await client.lostAnswerCount
        let items: FetchItems =
            switch detail {
            case .marks: .flags
            case .everything: .listing
            }
        try await fetching(UIDSet(max(1, from)...UInt32.max), items) { message in
            guard message.uid != 0 else { return }
            guard !message.missing.contains(.flags) else {
                isComplete = false
                return
            }
            listed.append(
                ListedMessage(
                    uid: message.uid, flags: IMAPFlags.flags(message.flags),
                    keywords: IMAPFlags.keywords(message.flags), size: message.size,
                    received: message.internalDate.map(Timestamp.init(seconds:))))
        }
        if await client.lostAnswerCount != lost { isComplete = false }
        var seen: Set<UInt32> = []
        return MessageListing(
            listed.filter { seen.insert($0.uid).inserted }.sorted { $0.uid < $1.uid }, isComplete: isComplete)
    }

    public func fetch(
        _ messages: [ListedMessage], of mailbox: Mailbox, limit: Int,
        deliver: @Sendable (RawMessage) async throws -> Void
    ) async throws {
        for start in stride(from: 0, to: messages.count, by: Self.chunk) {
            let chunk = messages[start..<min(start + Self.chunk, messages.count)]
            let (short, long) = chunk.reduce(into: ([ListedMessage](), [ListedMessage]())) { parts, message in
                if let size = message.size, size <= limit {
                    parts.0.append(message)
                } else {
                    parts.1.append(message)
                }
            }
            // Sizes are estimates: what turns out to be longer is read like a long one.
            let longer = try await read(short, .whole(maximum: limit), limit: limit, deliver)
            _ = try await read(long + longer, .first(limit), limit: limit, deliver)
        }
    }

    private func read(
        _ messages: [ListedMessage], _ body: FetchItems.Body, limit: Int,
        _ deliver: @Sendable (RawMessage) async throws -> Void
    ) async throws -> [ListedMessage] {
        guard !messages.isEmpty else { return [] }
        let wanted = Dictionary(messages.map { ($0.uid, $0) }, uniquingKeysWith: { first, _ in first })
        var longer: [ListedMessage] = []
        var done: Set<UInt32> = []
        try await fetching(UIDSet(wanted.keys), FetchItems(body: body)) { message in
            guard let listed = wanted[message.uid], done.insert(message.uid).inserted else { return }
            guard let bytes = message.body else {
                if message.omittedSize != nil { longer.append(listed) }
                return
            }
            let isTruncated = bytes.readableBytes >= limit && (listed.size ?? .max) > bytes.readableBytes
            try await deliver(
                RawMessage(listed: listed, bytes: Array(bytes.readableBytesView), isTruncated: isTruncated))
        }
        return longer
    }

    private func fetching(
        _ uids: UIDSet, _ items: FetchItems, _ onMessage: (FetchedMessage) async throws -> Void
    ) async throws {
        do {
            try await client.fetch(uids, items, onMessage: onMessage)
        } catch let error as IMAPClientError {
            throw error.endsTheSession ? SourceUnavailable(error) : error
        }
    }

    private func ending<Result: Sendable>(
        _ body: () async throws(IMAPClientError) -> Result
    ) async throws -> Result {
        do throws(IMAPClientError) {
            return try await body()
        } catch {
            if error.endsTheSession { throw SourceUnavailable(error) }
            throw error
        }
    }
}
