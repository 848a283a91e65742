import Foundation
import GRDB
public import Models

/// The part of the store that a sync uses: mailboxes, their sync states, and one transaction per batch.
public struct SyncStore: Sendable {
    let file: StoreFile

    /// Stores the account's list of mailboxes. A mailbox that is not in it keeps its rows and is marked as
    /// missing, unless open steps will make it. Returns those that were marked before.
    @discardableResult
    public func saveMailboxes(_ mailboxes: [Mailbox], of account: AccountID) throws(MailStoreError)
        -> [Mailbox]
    {
        try file.writingSoon { db in
            let accountRow = try db.requireAccountRow(account)
            let listed = Set(mailboxes.map(\.name))
            let gone = try db.allMailboxes().filter {
                $0.value.mailbox.account == account && !listed.contains($0.value.mailbox.name)
            }
            // Nothing is written for the others: a change of `is_missing` deletes the notes about quiet inboxes.
            for (id, row) in gone.sorted(by: { $0.key < $1.key }) where !row.isMissing {
                try db.execute(
                    sql: """
                        UPDATE mailbox SET is_missing = 1
                        WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM placement WHERE shown_mailbox = ?1)
                        """, arguments: [id])
            }
            let upsert = try db.cachedStatement(
                sql: """
                    INSERT INTO mailbox (account, name, display_name, delimiter, role, personal_prefix)
                    VALUES (?, ?, ?, ?, ?, ?)
                    ON CONFLICT (account, name) DO UPDATE SET display_name = excluded.display_name,
                        delimiter = excluded.delimiter, role = excluded.role,
                        personal_prefix = excluded.personal_prefix, is_missing = 0
                    """)
            for mailbox in mailboxes {
                let before = try db.mailboxRow(mailbox.name, account: accountRow)
                try upsert.execute(arguments: [
                    accountRow, Data(mailbox.name.bytes), Packed.text(mailbox.displayName),
                    mailbox.delimiter.map(Packed.text), mailbox.role?.rawValue,
                    mailbox.personalPrefix.map(Packed.text),
                ])
                if let before, before.role != .sent, mailbox.role == .sent {
                    try PlacementWriter(db: db).rememberRecipients(
                        ofMailbox: before.id, account: accountRow)
                }
            }
            try RenamedDeferredMailbox.giveRole(db, account)
            return gone.values.filter(\.isMissing).map(\.mailbox)
        }
    }

    /// The mailboxes in the account's last list, by name.
    public func mailboxes(of account: AccountID) throws(MailStoreError) -> [Mailbox] {
        try file.reading { db in
            try db.allMailboxes().values.filter { $0.mailbox.account == account && !$0.isMissing }
                .map(\.mailbox).sorted { $0.name < $1.name }
        }
    }

    /// nil: the mailbox has never been synchronised.
    public func syncState(
        of account: AccountID, mailbox: MailboxName
    ) throws(MailStoreError) -> MailboxSyncState? {
        try file.reading { db in
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT uid_validity, uid_next, highest_mod_seq, exists_count, signature, synced_at,
                        compared_at, window_since
                    FROM mailbox WHERE uid_validity IS NOT NULL AND name = ?
                        AND account = (SELECT id FROM account WHERE name = ?)
                    """, arguments: [Data(mailbox.bytes), account.rawValue])
            guard let row else { return nil }
            return MailboxSyncState(
                uidValidity: row.uid32(0) ?? 0, uidNext: row.uid32(1) ?? 1,
                highestModSeq: (row[2] as Int64?).map { UInt64(bitPattern: $0) }, exists: row[3],
                signature: row[4], syncedAt: row.time(5), comparedAt: row.time(6),
                windowSince: row.time(7))
        }
    }

    /// The extent of the mailbox, without reading its messages.
    public func extent(
        of account: AccountID, mailbox: MailboxName
    ) throws(MailStoreError) -> MailboxExtent {
        try file.reading { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT count(*), coalesce(max(uid), 0) FROM placement
                    WHERE mailbox = (SELECT id FROM mailbox
                        WHERE name = ? AND account = (SELECT id FROM account WHERE name = ?))
                    """)
            let row = try Row.fetchOne(statement, arguments: [Data(mailbox.bytes), account.rawValue])
            return MailboxExtent(count: row?[0] ?? 0, lastUID: row?.uid32(1) ?? 0)
        }
    }

    /// The UIDs in these ranges that the mailbox holds, ascending within each range.
    public func uids(
        of account: AccountID, mailbox: MailboxName, in ranges: [ClosedRange<UInt32>]
    ) throws(MailStoreError) -> [UInt32] {
        try file.reading { db in
            guard let accountRow = try db.accountRow(account),
                let row = try db.mailboxRow(mailbox, account: accountRow)
            else { return [] }
            let statement = try db.cachedStatement(
                sql: "SELECT uid FROM placement WHERE mailbox = ? AND uid BETWEEN ? AND ? ORDER BY uid")
            var uids: [UInt32] = []
            for range in ranges {
                let found = try Int64.fetchCursor(
                    statement, arguments: [row.id, Int64(range.lowerBound), Int64(range.upperBound)])
                while let uid = try found.next() { uids.append(UInt32(truncatingIfNeeded: uid)) }
            }
            return uids
        }
    }

    /// All placements of the mailbox, ascending by UID.
    public func placements(
        of account: AccountID, mailbox: MailboxName
    ) throws(MailStoreError) -> [Placement] {
        try file.reading { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT message.email_id, uid, flags, keywords, remote_name
                    FROM placement JOIN message ON message.id = placement.message
                    WHERE mailbox = (SELECT id FROM mailbox
                        WHERE name = ? AND account = (SELECT id FROM account WHERE name = ?))
                    ORDER BY uid
                    """)
            var placements: [Placement] = []
            let rows = try Row.fetchCursor(statement, arguments: [Data(mailbox.bytes), account.rawValue])
            while let row = try rows.next() {
                placements.append(
                    Placement(
                        message: EmailID(rawValue: row[0]), uid: row.uid32(1) ?? 0,
                        flags: Packed.flags(row[2] as Int64), keywords: Packed.keywords(row[3] as String),
                        remoteName: row[4]))
            }
            return placements
        }
    }

    /// Writes the batch completely or not at all.
    public func apply(_ batch: SyncBatch) throws(MailStoreError) -> SyncOutcome {
        try file.writingSoon { db in
            var writer = try BatchWriter(db, batch: batch, words: file.words)
            return try writer.write(batch)
        }
    }

    /// The messages of the account that have these ids (``NewMessage/remoteID``). One call can check
    /// thousands.
    ///
    /// An id that several messages share is left out: the server reported it wrongly for one of them.
    public func emailIDs(
        forRemoteIDs remoteIDs: [String], account: AccountID
    ) throws(MailStoreError) -> [String: EmailID] {
        try file.lookingUp { db in
            guard let accountRow = try db.accountRow(account) else { return [:] }
            let statement = try db.cachedStatement(
                sql: """
                    SELECT remote_id, email_id FROM message
                    WHERE account = ? AND remote_id IN (SELECT value FROM json_each(?))
                    GROUP BY remote_id HAVING count(*) = 1
                    """)
            var found: [String: EmailID] = [:]
            let rows = try Row.fetchCursor(
                statement, arguments: [accountRow, JSONList.of(remoteIDs.map(Packed.text))])
            while let row = try rows.next() { found[row[0]] = EmailID(rawValue: row[1]) }
            return found
        }
    }

    /// The fingerprint of the content with this id: distinguishes a collision from a known message.
    public func holder(of id: EmailID) throws(MailStoreError) -> String? {
        try file.lookingUp { db in
            let statement = try db.cachedStatement(sql: "SELECT fingerprint FROM message WHERE email_id = ?")
            return try String.fetchOne(statement, arguments: [id.rawValue])
                ?? EarlierStore(db)?.fingerprint(of: id)
        }
    }

    /// The threads to which the identifiers belong.
    public func threads(
        forIDs ids: [MessageID], account: AccountID
    ) throws(MailStoreError) -> [MessageID: ThreadID] {
        try file.lookingUp { db in
            guard let accountRow = try db.accountRow(account) else { return [:] }
            let statement = try db.cachedStatement(
                sql: "SELECT thread FROM thread_link WHERE account = ? AND message_id = ?")
            var threads: [MessageID: ThreadID] = [:]
            for id in ids {
                let thread = try String.fetchOne(
                    statement, arguments: [accountRow, Packed.text(id.rawValue)])
                if let thread { threads[id] = ThreadID(rawValue: thread) }
            }
            return threads
        }
    }

    /// Comparable addresses of all people to whom these accounts wrote: To and Cc of their sent mail.
    public func writtenTo(accounts: [AccountID]) throws(MailStoreError) -> Set<String> {
        try file.reading { db in
            var addresses: Set<String> = []
            for account in accounts {
                addresses.formUnion(
                    try String.fetchSet(
                        db,
                        sql: """
                            SELECT address FROM correspondent
                            WHERE account = (SELECT id FROM account WHERE name = ?)
                            """, arguments: [account.rawValue]))
            }
            return addresses
        }
    }

    /// Notes a sync of the whole account, including mailboxes without changes.
    public func noteSync(of account: AccountID, at now: Timestamp) throws(MailStoreError) {
        guard try lastSync(of: account) != now else { return }
        try file.writingSoon { db in
            try db.cachedStatement(
                sql: """
                    UPDATE mailbox SET synced_at = ? WHERE synced_at IS NOT NULL
                        AND account = (SELECT id FROM account WHERE name = ?)
                    """
            ).execute(arguments: [now.seconds, account.rawValue])
        }
    }

    /// When the account was last synced: its inbox, or otherwise its most recently synced mailbox; nil:
    /// never.
    public func lastSync(of account: AccountID) throws(MailStoreError) -> Timestamp? {
        try file.reading { db in
            try Int64.fetchOne(
                db,
                sql: """
                    SELECT synced_at FROM mailbox
                    WHERE account = (SELECT id FROM account WHERE name = ?) AND synced_at IS NOT NULL
                    ORDER BY coalesce(role, '') = 'inbox' DESC, synced_at DESC LIMIT 1
                    """, arguments: [account.rawValue]
            ).map { Timestamp(seconds: $0) }
        }
    }
}
