import Foundation
import GRDB
import Models

/// Writes one sync batch inside the caller's transaction.
///
/// Removals are first, because a new Maildir file may have the name of a removed one. The search index is last: a
/// statement with its own savepoint (`RETURNING`, a trigger) makes FTS5 write its pending entries, and one segment for
/// each message costs more than everything else.
struct BatchWriter {
    private let db: Database
    private let account: Int64
    private let mailbox: MailboxRow
    private let places: PlacementWriter
    private let index: IndexWriter
    private var outcome = SyncOutcome()
    private var unindexed: [(row: Int64, columns: IndexWriter.Columns)] = []

    /// Throws if the UIDVALIDITY of the batch differs from that of the stored placements.
    init(_ db: Database, batch: SyncBatch, words: KnownWords) throws {
        self.db = db
        words.begin(db)
        index = IndexWriter(db: db, known: words)
        places = PlacementWriter(db: db)
        account = try db.requireAccountRow(batch.account)
        mailbox = try db.requireMailboxRow(batch.mailbox, account: account)
        if let stored = mailbox.uidValidity, stored != batch.uidValidity, !batch.resetPlacements {
            throw MailStoreError.uidValidityChanged(
                mailbox: batch.mailbox, stored: stored, given: batch.uidValidity)
        }
    }

    mutating func write(_ batch: SyncBatch) throws -> SyncOutcome {
        if batch.resetPlacements { try places.reset(mailbox: mailbox.id) }
        for uid in batch.removed where try places.take(mailbox: mailbox.id, uid: uid) != nil {
            outcome.removed += 1
        }
        for message in batch.added { try add(message) }
        for placement in batch.placed { try place(placement) }
        for (id, body) in batch.learned { try learn(id, body) }
        for change in batch.flagChanges
        where try places.setMarks(
            mailbox: mailbox.id, uid: change.uid, flags: change.flags, keywords: change.keywords)
        {
            outcome.flagsChanged += 1
        }
        for merge in batch.threadMerges { try self.merge(merge) }
        if batch.resetPlacements || !batch.placed.isEmpty || !batch.flagChanges.isEmpty {
            try Overlay(db: db).refreshAll(of: account, in: mailbox.id)
        }
        try write(batch.state, uidValidity: batch.uidValidity)
        for (row, columns) in unindexed { try index.add(row, columns) }
        return outcome
    }

    // MARK: Messages

    private mutating func add(_ new: NewMessage) throws {
        let lookUp = try db.cachedStatement(
            sql: "SELECT id FROM message WHERE account = ? AND fingerprint = ?")
        let known = try Int64.fetchOne(lookUp, arguments: [account, new.fingerprint])
        let row = try known ?? insert(new)
        if known != nil, let remoteID = new.remoteID { try teach(row, remoteID) }
        let marks = PlacementWriter.Marks(
            flags: new.flags, keywords: new.keywords, remoteName: new.remoteName)
        let isNewPlace = try places.put(message: row, mailbox: mailbox.id, uid: new.uid, marks: marks)
        if known == nil {
            outcome.added += 1
        } else if isNewPlace {
            outcome.placed += 1
        }
        try link(new.references, to: new.thread)
        if known == nil, let key = new.subjectFacts?.key, key != 0 { try noteDue(subject: key) }
        if known == nil { try ShownThreadWriter(db: db, account: account).noteArrival(in: new.thread) }
        // The first message of a thread is one conversation by itself.
        if new.thread.rawValue != new.id.rawValue { try noteDue(new.thread) }
        if mailbox.role == .sent {
            try places.rememberRecipients(new.to + new.cc, of: new.headerBlock, account: account)
        }
    }

    private mutating func insert(_ new: NewMessage) throws -> Int64 {
        let subject = Packed.text(new.subject)
        let content = new.prepared ?? PreparedContent(headerBlock: new.headerBlock, text: new.text)
        let addresses: String = Packed.addresses(
            Packed.Addresses(
                from: new.from, sender: new.sender, replyTo: new.replyTo, to: new.to, cc: new.cc, bcc: new.bcc
            ))
        let row = try insertRow(new, subject: subject, addresses: addresses)
        try db.cachedStatement(sql: "INSERT INTO packed_content (message, headers, text) VALUES (?, ?, ?)")
            .execute(arguments: [row, Data(content.headers), Data(content.text)])
        let columns = IndexWriter.Columns(
            subject: subject, addresses: addresses, text: content.indexed,
            attachments: Packed.attachments(new.attachments))
        unindexed.append((row, columns))
        return row
    }

    private func insertRow(_ new: NewMessage, subject: String, addresses: String) throws -> Int64 {
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO message (id, account, email_id, fingerprint, thread, message_id, subject, addresses,
                    sent, received, size, attachments, is_truncated, exceeded_limits, remote_id, signed,
                    header_digest, body_digest, event, subject_key, subject_marks, snippet)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
        do {
            try statement.execute(arguments: [
                EarlierStore(db)?.number(of: new.id), account, new.id.rawValue, new.fingerprint,
                new.thread.rawValue,
                new.messageID.map { Packed.text($0.rawValue) }, subject, addresses, new.sent?.seconds,
                new.received.seconds, new.size, Packed.attachments(new.attachments), new.isTruncated,
                Packed.words(new.exceededLimits), new.remoteID.map(Packed.text),
                new.signature.map(Packed.signature) ?? "", new.headerDigest, new.body?.packed,
                new.event.map(Packed.event) ?? "", new.subjectFacts?.key,
                new.subjectFacts?.marks.rawValue ?? 0, (new.subjectFacts?.snippet).map(Packed.text),
            ])
        } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE {
            throw MailStoreError.idTaken(new.id)
        }
        return db.lastInsertedRowID
    }

    private mutating func place(_ placement: Placement) throws {
        let row = try db.requireMessageRow(placement.message)
        if let remoteID = placement.remoteID { try teach(row, remoteID) }
        let marks = PlacementWriter.Marks(
            flags: placement.flags, keywords: placement.keywords, remoteName: placement.remoteName)
        if try places.put(message: row, mailbox: mailbox.id, uid: placement.uid, marks: marks) {
            outcome.placed += 1
        }
        guard mailbox.role == .sent else { return }
        let statement = try db.cachedStatement(
            sql: "SELECT addresses, headers FROM message JOIN content ON content.message = id WHERE id = ?")
        guard let known = try Row.fetchOne(statement, arguments: [row]) else { return }
        let addresses: Packed.Addresses = Packed.addresses(known[0] as String)
        try places.rememberRecipients(
            addresses.to + addresses.cc, of: Array(known[1] as Data), account: account)
    }

    private func learn(_ id: EmailID, _ body: BodyDigest) throws {
        let statement = try db.cachedStatement(
            sql: "UPDATE message SET body_digest = ? WHERE email_id = ? AND body_digest IS NULL")
        try statement.execute(arguments: [body.packed, id.rawValue])
    }

    /// The latest id counts: an account that moved to another server has other ids.
    private func teach(_ message: Int64, _ remoteID: String) throws {
        let statement = try db.cachedStatement(
            sql: "UPDATE message SET remote_id = ?2 WHERE id = ?1 AND remote_id IS NOT ?2")
        try statement.execute(arguments: [message, Packed.text(remoteID)])
    }

    // MARK: Threads

    private func link(_ ids: [MessageID], to thread: ThreadID) throws {
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO thread_link (account, message_id, thread) VALUES (?, ?, ?)
                ON CONFLICT (account, message_id) DO UPDATE SET thread = excluded.thread
                    WHERE thread <> excluded.thread
                """)
        for id in ids {
            try statement.execute(arguments: [account, Packed.text(id.rawValue), thread.rawValue])
        }
    }

    private func noteDue(_ thread: ThreadID) throws {
        try db.cachedStatement(
            sql: "INSERT OR IGNORE INTO conversation_due (account, thread) VALUES (?, ?)"
        ).execute(arguments: [account, thread.rawValue])
    }

    private func noteDue(subject key: Int64) throws {
        try db.cachedStatement(
            sql: "INSERT OR IGNORE INTO subject_due (account, subject_key) VALUES (?, ?)"
        ).execute(arguments: [account, key])
    }

    private func merge(_ merge: ThreadMerge) throws {
        guard merge.from != merge.into else { return }
        try noteDue(merge.into)
        try ShownThreadWriter(db: db, account: account).noteMerge(of: merge.from, into: merge.into)
        // SQLite must use the index over threads. That of `message` has no account, so `+` hides the index over accounts;
        // that of `thread_link` begins with the account.
        for sql in [
            "UPDATE message SET thread = ? WHERE thread = ? AND +account = ?",
            "UPDATE thread_link SET thread = ? WHERE thread = ? AND account = ?",
        ] {
            try db.cachedStatement(sql: sql)
                .execute(arguments: [merge.into.rawValue, merge.from.rawValue, account])
        }
    }

    // MARK: State

    private func write(_ state: MailboxSyncState?, uidValidity: UInt32) throws {
        guard let state else {
            try db.cachedStatement(sql: "UPDATE mailbox SET uid_validity = ? WHERE id = ?")
                .execute(arguments: [Int64(uidValidity), mailbox.id])
            return
        }
        // In a Maildir, opus assigns the UIDs: the next UID is the stored one, whatever the caller passed.
        let statement = try db.cachedStatement(
            sql: """
                UPDATE mailbox SET uid_validity = ?,
                    uid_next = CASE own_uid_next WHEN 1 THEN ?2 ELSE max(?2, own_uid_next) END,
                    highest_mod_seq = ?, exists_count = ?, signature = ?, synced_at = ?,
                    compared_at = ?, window_since = ?
                WHERE id = ?
                """)
        try statement.execute(arguments: [
            Int64(uidValidity), Int64(state.uidNext),
            state.highestModSeq.map { Int64(bitPattern: $0) }, state.exists,
            state.signature.map(Packed.text), state.syncedAt?.seconds,
            state.comparedAt?.seconds, state.windowSince?.seconds, mailbox.id,
        ])
    }
}
