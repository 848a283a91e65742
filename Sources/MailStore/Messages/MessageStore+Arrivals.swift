import GRDB
public import Models

/// Messages that the store received since a given row.
extension MessageStore {
    /// The row of the newest message; 0: the store is empty.
    public func lastRow() throws(MailStoreError) -> Int64 {
        try file.reading { db in try Self.lastRow(db) }
    }

    private static func lastRow(_ db: Database) throws -> Int64 {
        try Int64.fetchOne(db, sql: "SELECT max(id) FROM message") ?? 0
    }

    /// Messages after this row in mailboxes of the role, in order of arrival, and the current last row.
    public func arrivals(
        after row: Int64, role: MailboxRole, account: AccountID
    ) throws(MailStoreError) -> (ids: [EmailID], last: Int64) {
        try file.reading { db in
            let ids = try String.fetchAll(
                db,
                sql: """
                    SELECT email_id FROM message WHERE id > ?1 AND +account = (SELECT id FROM account WHERE name = ?2)
                        AND EXISTS (
                            SELECT 1 FROM placement JOIN mailbox ON mailbox.id = placement.mailbox
                            WHERE placement.message = message.id AND mailbox.role = ?3 AND mailbox.is_missing = 0)
                    ORDER BY id
                    """, arguments: [row, account.rawValue, role.rawValue])
            return (ids.map { EmailID(rawValue: $0) }, try Self.lastRow(db))
        }
    }

    /// When these messages arrived.
    public func received(_ ids: [EmailID]) throws(MailStoreError) -> [EmailID: Timestamp] {
        try file.reading { db in
            let statement = try db.cachedStatement(sql: "SELECT received FROM message WHERE email_id = ?")
            var times: [EmailID: Timestamp] = [:]
            for id in ids {
                let seconds = try Int64.fetchOne(statement, arguments: [id.rawValue])
                times[id] = seconds.map { Timestamp(seconds: $0) }
            }
            return times
        }
    }
}
