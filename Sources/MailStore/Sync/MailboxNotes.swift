import Foundation
import GRDB
public import Models

/// What a sync remembers about a mailbox for the next sync.
public struct MailboxNotes: Hashable, Sendable {
    /// The number of messages on the server that are older than the window and were not fetched.
    public var beyondWindow = 0
    /// The UIDNEXT that the server reported, if it was not greater than all UIDs.
    public var reportedUIDNext: UInt32?
    /// The places were forgotten, and some of them have not been found again.
    public var isRebinding = false
    /// The configuration excludes the mailbox, and its places were forgotten.
    public var isLeftOut = false
    /// The last sync found the mailbox unexpectedly empty, and changed nothing.
    public var wasEmpty = false

    public init() {}
}

extension SyncStore {
    public func notes(of account: AccountID, mailbox: MailboxName) throws(MailStoreError) -> MailboxNotes {
        try file.reading { db in try Self.notes(db, account, mailbox) }
    }

    /// Writes only if something changes.
    public func changeNotes(
        of account: AccountID, mailbox: MailboxName, _ change: (inout MailboxNotes) -> Void
    ) throws(MailStoreError) {
        let before = try notes(of: account, mailbox: mailbox)
        var after = before
        change(&after)
        guard after != before else { return }
        try file.writingSoon { db in
            let row = try db.requireMailboxRow(mailbox, account: db.requireAccountRow(account))
            try db.cachedStatement(
                sql: """
                    UPDATE mailbox SET beyond_window = ?, told_uid_next = ?, is_rebinding = ?, is_left_out = ?,
                        was_empty = ?
                    WHERE id = ?
                    """
            ).execute(arguments: [
                after.beyondWindow, after.reportedUIDNext.map { Int64($0) }, after.isRebinding,
                after.isLeftOut,
                after.wasEmpty, row.id,
            ])
        }
    }

    private static func notes(
        _ db: Database, _ account: AccountID, _ mailbox: MailboxName
    ) throws -> MailboxNotes {
        let row = try Row.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT beyond_window, told_uid_next, is_rebinding, is_left_out, was_empty FROM mailbox
                    WHERE name = ? AND account = (SELECT id FROM account WHERE name = ?)
                    """), arguments: [Data(mailbox.bytes), account.rawValue])
        var notes = MailboxNotes()
        guard let row else { return notes }
        notes.beyondWindow = row[0]
        notes.reportedUIDNext = row.uid32(1)
        notes.isRebinding = row[2]
        notes.isLeftOut = row[3]
        notes.wasEmpty = row[4]
        return notes
    }
}
