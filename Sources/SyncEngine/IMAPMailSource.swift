public import IMAPClient
import IMAPProtocol
public import Models
import NIOCore

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
        let listings = try await ending { () throws(IMAPClientError) in try await client.list() }
        var mailboxes = listings.filter(\.isSelectable).map { listing in
            Mailbox(
                account: account, name: MailboxName(bytes: listing.name), displayName: listing.displayName,
                delimiter: listing.delimiter,
                role: listing.role.flatMap { MailboxRole(rawValue: $0.rawValue) })
        }
        if !mailboxes.contains(where: { $0.role == .deferred }) {
            let deferred = mailboxes.firstIndex {
                $0.role == nil && $0.displayName.lowercased().hasSuffix("deferred")
            }
            if let deferred { mailboxes[deferred].role = .deferred }
        }
        for (role, name) in folders {
            // The user's own name wins, also over a mailbox that the server calls so and while it has yet to be made.
            for other in mailboxes.indices where mailboxes[other].role == role { mailboxes[other].role = nil }
            if let index = mailboxes.firstIndex(where: { $0.displayName == name }) {
                mailboxes[index].role = role
            }
        }
        return mailboxes
    }

    public func open(_ mailbox: Mailbox) async throws -> SourceMailbox {
        let selected = try await ending { () throws(IMAPClientError) in
            try await client.select(mailbox.name.bytes, readOnly: true)
        }
        return SourceMailbox(
            uidValidity: selected.uidValidity, uidNext: selected.uidNext,
            highestModSeq: selected.highestModSeq,
            exists: selected.exists)
    }

    public func listing(of mailbox: Mailbox, from: UInt32) async throws -> [ListedMessage] {
        var listed: [ListedMessage] = []
        try await fetching(UIDSet(from...UInt32.max), .listing) { message in
            guard message.uid != 0, !message.missing.contains(.flags) else { return }
            listed.append(
                ListedMessage(
                    uid: message.uid, flags: IMAPFlags.flags(message.flags),
                    keywords: IMAPFlags.keywords(message.flags), size: message.size,
                    received: message.internalDate.map(Timestamp.init(seconds:))))
        }
        var seen: Set<UInt32> = []
        return listed.filter { seen.insert($0.uid).inserted }.sorted { $0.uid < $1.uid }
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

extension IMAPClientError {
    /// Whether every later call on the connection fails too.
    var endsTheSession: Bool {
        switch self {
        case .refused, .invalidRequest, .missingCapability, .noMailboxSelected: false
        case .transport, .plaintextRefused, .preauthBeforeTLS, .startTLSRefused, .loginRefused,
            .loginUnavailable,
            .noLoginMechanism, .badCredentials, .partlyDone, .bye, .limit, .protocol, .abandoned, .loggedOut:
            true
        }
    }
}

/// Flags on the wire and in our words. RFC 3501 §2.3.2.
enum IMAPFlags {
    static func flags(_ atoms: [String]) -> Set<Flag> {
        var flags: Set<Flag> = []
        for atom in atoms where atom.hasPrefix("\\") {
            if let flag = Flag(rawValue: atom.dropFirst().lowercased()) { flags.insert(flag) }
        }
        return flags
    }

    static func keywords(_ atoms: [String]) -> Set<Keyword> {
        Set(atoms.filter { !$0.hasPrefix("\\") && !$0.isEmpty }.map { Keyword($0) })
    }
}
