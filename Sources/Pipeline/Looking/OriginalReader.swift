import Accounts
import MailStore
import Models
import SyncEngine

/// Reads the bytes of a message from its account: the store has only its header and its text.
struct OriginalReader: Sendable {
    let accounts: AccountAccess
    let connections: AccountConnections
    let lookup: MessageLookup
    let store: Store
    /// Complete messages that were opened before.
    let cache: OriginalCache

    /// How often opus retries a download without progress after the connection breaks.
    private static let retries = 3
    private static let pause = Duration.milliseconds(300)

    /// The maximum size in bytes of a message that is read completely.
    private static let limit = 256 << 20

    /// The bytes of a message, from the cache or from the account.
    func bytes(ofTyped typed: String) async throws -> [UInt8] {
        let detail = try lookup.message(typed)
        let account = try accounts.require(detail.account)
        guard case .imap = account.source else {
            return try require(
                try await connections.connected(account) { try await self.bytes(of: detail.id, over: $0) },
                typed)
        }
        if try store.messages.places(of: detail.id).contains(where: { !$0.isMissing }),
            let kept = cache.bytes(of: detail.id)
        {
            return kept
        }
        let bytes = try require(try await downloaded(detail, from: account), typed)
        cache.keep(bytes, of: detail.id)
        return bytes
    }

    /// Continues where it stopped if the connection breaks during the download. If the account cannot be
    /// reached, it fails at once.
    private func downloaded(_ message: StoredMessage, from account: Account) async throws -> [UInt8]? {
        let (id, size) = (message.id, message.size)
        let download = size > OriginalDownload.pieceSize ? cache.download(of: id, size: size) : nil
        var retry = 0
        while true {
            let begun = Begun()
            let before = await download?.count ?? 0
            do {
                return try await connections.connected(account) { connection in
                    await begun.note()
                    if let whole = try await read(id, over: connection, in: download) { return whole }
                    return try await bytes(of: id, over: connection)
                }
            } catch let problem as Problem where problem.exit == .unavailable || problem.exit == .temporary {
                retry = await (download?.count ?? 0) > before ? 1 : retry + 1
                guard await begun.isNoted, retry <= Self.retries else { throw problem }
                await connections.pools.forget(account.id)
                try await Task.sleep(for: Self.pause * retry)
            }
        }
    }

    /// Reads a large message in pieces. nil: the server does not return pieces, reports a wrong size, or has
    /// changed the UIDVALIDITY of the mailbox; or the message is not large.
    private func read(
        _ id: EmailID, over connection: AccountConnection, in download: OriginalDownload?
    ) async throws -> [UInt8]? {
        guard let download, let place = try store.messages.places(of: id).first(where: { !$0.isMissing })
        else { return nil }
        return try await Problem.wrap(connection.account) {
            let opened = try await connection.source.open(place.mailbox)
            guard opened.uidValidity == place.key.uidValidity else { return nil }
            return try await download.read(place, from: connection.source, atMost: Self.limit)
        }
    }

    private func require(_ bytes: [UInt8]?, _ typed: String) throws -> [UInt8] {
        guard let bytes else {
            throw Problem(
                "gone", exit: .notFound, message: "this message is no longer in any mailbox",
                next: ["opus sync", "opus show \(typed) (its text is still in the store)"])
        }
        return bytes
    }

    /// nil if the message is no longer in any mailbox, or its mailbox has a new UIDVALIDITY.
    func bytes(of id: EmailID, over connection: AccountConnection) async throws -> [UInt8]? {
        try await Self.bytes(of: id, over: connection, store: store)
    }

    /// The same for a given store.
    static func bytes(
        of id: EmailID, over connection: AccountConnection, store: Store
    ) async throws -> [UInt8]? {
        guard let place = try store.messages.places(of: id).first(where: { !$0.isMissing }) else {
            return nil
        }
        let listed = ListedMessage(uid: place.key.uid, remoteName: place.remoteName)
        let box = RawBox()
        return try await Problem.wrap(connection.account) {
            let opened = try await connection.source.open(place.mailbox)
            // The UID may belong to another message now.
            guard opened.uidValidity == place.key.uidValidity else { return nil }
            try await connection.source.fetch([listed], of: place.mailbox, limit: Self.limit) { raw in
                await box.put(raw.bytes)
            }
            return await box.bytes
        }
    }
}

/// Whether a connection was there when something failed.
actor Begun {
    private(set) var isNoted = false
    func note() { isNoted = true }
}

private actor RawBox {
    private(set) var bytes: [UInt8]?
    func put(_ new: [UInt8]) { bytes = new }
}
