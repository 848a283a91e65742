import IMAPClient
import IMAPProtocol
import Models

/// Changes and finds messages of the open mailbox by their labels and their X-GM-MSGID. X-GM-EXT-1.
struct GmailLabels {
    let client: IMAPConnection

    /// Labels by UID, as the server reported them afterwards.
    func store(_ uids: [UInt32], _ change: LabelChange) async throws(SinkError) -> [UInt32: [[UInt8]]] {
        do throws(IMAPClientError) {
            let echoes = try await client.messages.storeLabels(UIDSet(uids), change)
            return Dictionary(echoes.map { ($0.uid, $0.labels) }, uniquingKeysWith: { _, last in last })
        } catch {
            throw SinkError(error)
        }
    }

    func search(_ gmailID: UInt64) async throws(SinkError) -> UInt32? {
        do throws(IMAPClientError) {
            return try await client.messages.search(.gmailMessageID(gmailID)).first
        } catch {
            throw SinkError(error)
        }
    }

    /// The UIDs of messages, by X-GM-MSGID. A message gets a new UID with the label of the mailbox. `first`: the lowest of
    /// the new UIDs, if it is known; `next`: UIDNEXT of the mailbox.
    func locate(
        _ ids: Set<UInt64>, from first: UInt32?, to next: UInt32?
    ) async throws(SinkError) -> [UInt64: UInt32] {
        let end = next.map { max($0, 1) - 1 } ?? .max
        var uids: [UInt64: UInt32] = [:]
        if let first, first <= end {
            var items = FetchItems()
            items.gmailIDs = true
            do {
                try await client.messages.fetch(UIDSet(max(first, 1)...end), items) { message in
                    if let id = message.gmailID, ids.contains(id) { uids[id] = message.uid }
                }
            } catch let error as IMAPClientError {
                throw SinkError(error)
            } catch {
                throw .lost("\(error)")
            }
        }
        for id in ids.sorted() where uids[id] == nil { uids[id] = try await search(id) }
        return uids
    }
}
