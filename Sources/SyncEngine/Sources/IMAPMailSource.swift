public import IMAPClient
import IMAPProtocol
import MailStore
public import Models
import NIOCore
import SyncPlanner

/// An IMAP account as a ``MailSource``.
///
/// Mailboxes are opened with EXAMINE, so reading mail does not change marks. Messages are read up to the
/// limit. Requests use UIDs up to 4294967295 and never `*`, because Cyrus resolves `*` only to messages that
/// it has already reported.
public struct IMAPMailSource: MailSource {
    let client: IMAPConnection
    let account: AccountID
    /// The mailbox names that the configuration assigns to roles, as display names.
    let folders: [MailboxRole: String]
    /// The names of further mailboxes for sent mail.
    let sent: [String]

    public init(
        client: IMAPConnection, account: AccountID, folders: [MailboxRole: String] = [:], sent: [String] = []
    ) {
        self.client = client
        self.account = account
        self.folders = folders
        self.sent = sent
    }

    public func mailboxes() async throws -> [Mailbox] {
        let listings = try await ending { () throws(IMAPClientError) in try await client.mailboxes.list() }
        return try await named(listings).map(\.mailbox)
    }

    public func survey() async throws -> AccountSurvey {
        let naming = await naming
        let surveyed = try await ending { () throws(IMAPClientError) in
            try await client.mailboxes.survey { !$0.isView && ($0.role != .all || naming != .none) }
        }
        let numbers = Dictionary(
            surveyed.map { ($0.listing.name, $0.status.flatMap(SourceMailbox.init)) },
            uniquingKeysWith: { first, _ in first })
        let entries = try await named(surveyed.map(\.listing)).map { listing, mailbox in
            // A mailbox that has a role, such as an archive, is not only a view.
            let isView = listing.isView && (mailbox.role == nil || mailbox.role == .flagged)
            return AccountSurvey.Entry(
                mailbox: mailbox, numbers: numbers[listing.name] ?? nil, isView: isView)
        }
        return AccountSurvey(
            entries: entries, tracking: await client.changeReporting.inOurWords,
            namesMessages: naming != .none)
    }

    /// The kind of id that the server gives to a message in all mailboxes.
    var naming: MessageNaming {
        get async {
            let offered = await client.capabilities
            return offered.contains(.gmail) ? .gmail : offered.contains(.objectID) ? .objectID : .none
        }
    }

    private func named(
        _ listings: [MailboxListing]
    ) async throws -> [(listing: MailboxListing, mailbox: Mailbox)] {
        var named = listings.filter(\.isSelectable).map { listing in
            (
                listing: listing,
                mailbox: Mailbox(
                    account: account, name: MailboxName(bytes: listing.name),
                    displayName: listing.displayName, delimiter: listing.delimiter,
                    role: listing.role.flatMap { MailboxRole(rawValue: $0.rawValue) },
                    personalPrefix: listing.personalPrefix)
            )
        }
        if let deferred = try await deferred(among: named.map(\.mailbox)) {
            named[deferred].mailbox.role = .deferred
        }
        for (role, name) in folders {
            // The configured name has precedence over a mailbox with the role on the server, even before it
            // is created. The drafts in another mailbox of drafts stay drafts.
            for other in named.indices where named[other].mailbox.role == role && role != .drafts {
                named[other].mailbox.role = nil
            }
            let index = named.firstIndex { $0.mailbox.displayName == name }
            if let index = index ?? named.firstIndex(where: { $0.mailbox.plainName == name }) {
                named[index].mailbox.role = role
            }
        }
        let mailboxes = named.map(\.mailbox).withSent(sent)
        return zip(named, mailboxes).map { ($0.listing, $1) }
    }

    /// The mailbox for deferred mail, by its name. A mailbox of this name below another one is the user's own, except below
    /// `Folders`, where Proton Mail Bridge has all mailboxes, and only if no other person owns it.
    private func deferred(among mailboxes: [Mailbox]) async throws -> Int? {
        // Some programs move a mailbox that a person deletes below Trash.
        let bins = mailboxes.filter { $0.role == .trash || $0.role == .junk }
        let candidates = mailboxes.indices.filter { index in
            let name = mailboxes[index].plainName.lowercased()
            return mailboxes[index].role == nil
                && (name == Self.deferred || name == "folders/" + Self.deferred)
                && !bins.contains(where: mailboxes[index].isBelow)
        }
        if let first = candidates.first(where: { mailboxes[$0].plainName.lowercased() == Self.deferred }) {
            return first
        }
        guard !candidates.isEmpty else { return nil }
        let spaces = try await ending { () throws(IMAPClientError) in try await client.mailboxes.namespaces()
        }
        return candidates.first { !spaces.isForeign(mailboxes[$0].name.bytes) }
    }

    private static let deferred = "deferred"

    public func open(_ mailbox: Mailbox, since known: KnownMailbox?) async throws -> SourceMailbox {
        let selected = try await ending { () throws(IMAPClientError) in
            try await client.mailboxes.select(
                mailbox.name.bytes, readOnly: true, since: known.map(ResyncState.init))
        }
        var server = SourceMailbox(selected)
        // Some servers send HIGHESTMODSEQ but do not accept CHANGEDSINCE: Cyrus with CONDSTORE switched off.
        if await client.changeReporting == .none { server.highestModSeq = nil }
        return server
    }

    public func resynchronize(
        _ wishes: [ResyncWish], limit: Int, deliver: @Sendable (Int, RawMessage) async throws -> Void
    ) async throws -> [SourceMailbox?] {
        let naming = await naming
        var requests: [ResyncRequest] = []
        var indices: [Int] = []
        for (index, wish) in wishes.enumerated()
        where await client.mailboxes.canPipeline(wish.mailbox.name.bytes) {
            indices.append(index)
            requests.append(ResyncRequest(wish, naming, limit: limit))
        }
        var results: [SourceMailbox?] = wishes.map { _ in nil }
        do {
            let answers = try await client.changes.resynchronize(requests) { request, message in
                let index = indices[request]
                guard let raw = RawMessage(message, wish: wishes[index], limit: limit) else { return }
                try await deliver(index, raw)
            }
            for (index, answer) in zip(indices, answers) { results[index] = answer.map(SourceMailbox.init) }
        } catch let error as IMAPClientError {
            guard error.endsTheSession else { throw error }
            let request = error.isLoss ? await client.interruptedRequest : nil
            throw SourceUnavailable(error, wish: request.map { indices[$0] })
        }
        return results
    }

    func ending<Result: Sendable>(
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

/// How a server identifies the content of a message, in all mailboxes.
enum MessageNaming: Hashable, Sendable {
    case none
    /// EMAILID. RFC 8474 §5.1.
    case objectID
    /// X-GM-MSGID, with labels in addition to flags. X-GM-EXT-1.
    case gmail
}
