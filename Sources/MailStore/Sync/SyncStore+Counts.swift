import Foundation
import GRDB
public import Models

/// The number of messages in a mailbox, as of the last sync.
public struct MailboxCounts: Hashable, Sendable {
    public var messages: Int
    public var unread: Int
}

extension SyncStore {
    /// The counts of each mailbox that has messages.
    public func counts(of account: AccountID) throws(MailStoreError) -> [MailboxName: MailboxCounts] {
        try file.reading { db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT mailbox.name, count(*), sum(placement.flags & ? = 0)
                    FROM placement JOIN mailbox ON mailbox.id = placement.mailbox
                    WHERE mailbox.account = (SELECT id FROM account WHERE name = ?) GROUP BY mailbox.id
                    """, arguments: [Packed.flags([.seen]), account.rawValue])
            var counts: [MailboxName: MailboxCounts] = [:]
            while let row = try rows.next() {
                let name = MailboxName(bytes: [UInt8](row[0] as Data))
                counts[name] = MailboxCounts(messages: row[1], unread: row[2])
            }
            return counts
        }
    }
}
