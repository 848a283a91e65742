import GRDB
public import Models

/// Records of messages that a server could not deliver.
extension SyncStore {
    /// The maximum number that is remembered for one mailbox; a sync tries to fetch the others each time.
    public static let maximumDoubts = 1_000

    /// The doubts about a mailbox with this UIDVALIDITY.
    public func doubts(
        of account: AccountID, mailbox: MailboxName, uidValidity: UInt32
    ) throws(MailStoreError) -> [MessageDoubt] {
        try file.reading { db in
            guard let accountRow = try db.accountRow(account),
                let row = try db.mailboxRow(mailbox, account: accountRow)
            else { return [] }
            let statement = try db.cachedStatement(
                sql: """
                    SELECT stage, cause, first_uid, last_uid, tries, tried_at FROM message_doubt
                    WHERE mailbox = ? AND uid_validity = ? ORDER BY first_uid, last_uid
                    """)
            var doubts: [MessageDoubt] = []
            let rows = try Row.fetchCursor(statement, arguments: [row.id, Int64(uidValidity)])
            while let row = try rows.next() {
                guard let stage = MessageDoubt.Stage(rawValue: row[0]),
                    let cause = MessageDoubt.Cause(rawValue: row[1]), let first = row.uid32(2),
                    let last = row.uid32(3), first <= last, let time = row.time(5)
                else { continue }
                doubts.append(MessageDoubt(stage, cause, first...last, tries: row[4], triedAt: time))
            }
            return doubts
        }
    }

    /// Replaces all doubts about the mailbox.
    public func saveDoubts(
        _ doubts: [MessageDoubt], of account: AccountID, mailbox: MailboxName, uidValidity: UInt32
    ) throws(MailStoreError) {
        try file.writing { db in
            let row = try db.requireMailboxRow(mailbox, account: db.requireAccountRow(account))
            try db.cachedStatement(sql: "DELETE FROM message_doubt WHERE mailbox = ?").execute(arguments: [
                row.id
            ])
            let insert = try db.cachedStatement(
                sql: """
                    INSERT OR REPLACE INTO message_doubt
                        (mailbox, uid_validity, stage, cause, first_uid, last_uid, tries, tried_at)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                    """)
            for doubt in doubts.suffix(Self.maximumDoubts) {
                try insert.execute(arguments: [
                    row.id, Int64(uidValidity), doubt.stage.rawValue, doubt.cause.rawValue,
                    Int64(doubt.uids.lowerBound), Int64(doubt.uids.upperBound), doubt.tries,
                    doubt.triedAt.seconds,
                ])
            }
        }
    }
}
