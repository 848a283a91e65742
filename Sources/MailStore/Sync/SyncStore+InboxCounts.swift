import GRDB
public import Models

/// The size of an inbox on each day, including the effects of queued moves, as in lists.
extension SyncStore {
    /// Messages in the account's inbox now.
    public func inboxCount(of account: AccountID) throws(MailStoreError) -> Int {
        try file.reading { db in try Self.inboxCount(db, account) }
    }

    /// Notes the size of the inbox on a day, and replaces an earlier note of that day. Writes only changes.
    public func noteInbox(of account: AccountID, on day: CalendarDate) throws(MailStoreError) {
        let (now, noted) = try file.reading { db in
            (try Self.inboxCount(db, account), try Self.notedCount(db, account, day))
        }
        guard now != noted else { return }
        try file.writingSoon { db in
            let row = try db.requireAccountRow(account)
            try db.execute(
                sql: "INSERT OR REPLACE INTO inbox_count (account, day, messages) VALUES (?, ?, ?)",
                arguments: [row, day.daysSinceEpoch, now])
            try db.execute(
                sql: "DELETE FROM inbox_count WHERE account = ? AND day < ?",
                arguments: [row, day.daysSinceEpoch - Self.mostDays])
        }
    }

    /// The noted sizes between two days, both included.
    public func inboxCounts(
        of account: AccountID, from first: CalendarDate, to last: CalendarDate
    ) throws(MailStoreError) -> [CalendarDate: Int] {
        try file.reading { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT day, messages FROM inbox_count
                    WHERE account = (SELECT id FROM account WHERE name = ?) AND day BETWEEN ? AND ?
                    """, arguments: [account.rawValue, first.daysSinceEpoch, last.daysSinceEpoch])
            var counts: [CalendarDate: Int] = [:]
            for row in rows { counts[CalendarDate(daysSinceEpoch: row[0])] = row[1] }
            return counts
        }
    }

    private static let mostDays: Int64 = 400

    private static func inboxCount(_ db: Database, _ account: AccountID) throws -> Int {
        try Int.fetchOne(
            db,
            sql: """
                SELECT count(*) FROM (
                    SELECT message FROM mailbox CROSS JOIN placement ON placement.mailbox = mailbox.id
                        WHERE account = (SELECT id FROM account WHERE name = ?1)
                            AND role = 'inbox' AND is_missing = 0 AND shown_mailbox IS NULL
                    UNION
                    SELECT message FROM mailbox CROSS JOIN placement ON shown_mailbox = mailbox.id
                        WHERE account = (SELECT id FROM account WHERE name = ?1)
                            AND role = 'inbox' AND is_missing = 0)
                """, arguments: [account.rawValue]) ?? 0
    }

    private static func notedCount(
        _ db: Database, _ account: AccountID, _ day: CalendarDate
    ) throws -> Int? {
        try Int.fetchOne(
            db,
            sql: """
                SELECT messages FROM inbox_count
                WHERE account = (SELECT id FROM account WHERE name = ?) AND day = ?
                """, arguments: [account.rawValue, day.daysSinceEpoch])
    }
}
