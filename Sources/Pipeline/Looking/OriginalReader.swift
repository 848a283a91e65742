import MailStore
import Models
import SyncEngine

/// Reads the bytes of a message from its account: the store keeps only its header and its text.
struct OriginalReader: Sendable {
    let accounts: AccountAccess
    let connections: AccountConnections
    let lookup: MessageLookup
    let store: Store

    /// The largest message that is read whole.
    private static let limit = 256 << 20

    /// The message's bytes, read from the account.
    func bytes(ofTyped typed: String) async throws -> [UInt8] {
        let detail = try lookup.message(typed)
        let account = try accounts.require(detail.account)
        guard
            let bytes = try await connections.connected(account, { try await bytes(of: detail.id, over: $0) })
        else {
            throw Problem(
                "gone", exit: .notFound, message: "this message is no longer in any mailbox",
                next: ["opus sync", "opus show \(typed) (its text is still in the store)"])
        }
        return bytes
    }

    /// nil when the message is no longer in any mailbox.
    func bytes(of id: EmailID, over connection: AccountConnection) async throws -> [UInt8]? {
        guard let place = try store.messages.places(of: id).first(where: { !$0.isMissing }) else {
            return nil
        }
        let listed = ListedMessage(uid: place.key.uid, remoteName: place.remoteName)
        let box = RawBox()
        return try await Problem.wrap(connection.account) {
            _ = try await connection.source.open(place.mailbox)
            try await connection.source.fetch([listed], of: place.mailbox, limit: Self.limit) { raw in
                await box.put(raw.bytes)
            }
            return await box.bytes
        }
    }
}

private actor RawBox {
    private(set) var bytes: [UInt8]?
    func put(_ new: [UInt8]) { bytes = new }
}
