import GRDB
public import Models

/// Deletes messages that have been in no mailbox for a month, a few at a time.
///
/// The store waits because a message may be on its way between two mailboxes, or be restored from a backup.
/// Then opus need not fetch its body again. A message stays if something still refers to it: a task, the
/// journal (and so `opus undo`), a deferral, or a rule that may match it only once. Threads do not need it:
/// `thread_link` does not refer to messages.
extension MessageStore {
    /// How long a message is kept after it lost its last place.
    public static let daysUnplaced = 30

    /// Deletes messages that have had no place for ``daysUnplaced`` days. Call it after a sync. The next call
    /// continues with the rest.
    ///
    /// - Returns: How many messages it deleted, at most `limit`.
    @discardableResult
    public func cleanUp(now: Timestamp, limit: Int = 500) throws(MailStoreError) -> Int {
        guard try mayNeedCleanUp(now: now) else { return 0 }
        return try file.writing { db in
            let cleaning = CleanUp(db: db, now: now, index: IndexWriter(db: db, known: file.words))
            try cleaning.startCounting()
            let unused = try cleaning.due(limit: limit).filter { try !cleaning.isKept($0) }
            try cleaning.forget(unused)
            return unused.count
        }
    }

    /// Checked before the lock is acquired, because most syncs delete nothing.
    private func mayNeedCleanUp(now: Timestamp) throws(MailStoreError) -> Bool {
        try file.reading { db in
            let sql = "SELECT EXISTS (SELECT 1 FROM unplaced WHERE since IS NULL OR since <= ?)"
            return try Bool.fetchOne(db, sql: sql, arguments: [CleanUp.horizon(now)]) ?? false
        }
    }
}

private struct CleanUp {
    let db: Database
    let now: Timestamp
    let index: IndexWriter

    static func horizon(_ now: Timestamp) -> Int64 {
        now.seconds - Int64(MessageStore.daysUnplaced) * 86_400
    }

    /// The month begins with the first clean-up after the loss: the writer of a batch has no clock.
    func startCounting() throws {
        try db.cachedStatement(sql: "UPDATE unplaced SET since = ? WHERE since IS NULL")
            .execute(arguments: [now.seconds])
    }

    func due(limit: Int) throws -> [Int64] {
        let sql = "SELECT message FROM unplaced WHERE since <= ? ORDER BY since LIMIT ?"
        return try Int64.fetchAll(db.cachedStatement(sql: sql), arguments: [Self.horizon(now), limit])
    }

    /// Whether the message is still needed. Then opus checks it again in a month.
    func isKept(_ message: Int64) throws -> Bool {
        if try has(message, "placement WHERE message = ?1") {
            try run("DELETE FROM unplaced WHERE message = ?", message)
            return true
        }
        if try isReferredTo(message) {
            try db.cachedStatement(sql: "UPDATE unplaced SET since = ? WHERE message = ?")
                .execute(arguments: [now.seconds, message])
            return true
        }
        return false
    }

    private func isReferredTo(_ message: Int64) throws -> Bool {
        for referrer in [
            "todo_link WHERE message = ?1", "deferral WHERE message = ?1", "remembered WHERE message = ?1",
            "task_notice WHERE message = ?1",
            "step WHERE message = (SELECT email_id FROM message WHERE id = ?1)",
        ] where try has(message, referrer) {
            return true
        }
        return false
    }

    /// Removes all of them from the index first: see ``BatchWriter`` about its segments.
    func forget(_ messages: [Int64]) throws {
        for message in messages {
            for (row, columns) in try db.indexedColumns(from: message, through: message, limit: 1) {
                try index.remove(row, columns)
            }
        }
        for message in messages {
            try index.removeFileText(of: message)
            for table in ["unplaced", "packed_content"] {
                try run("DELETE FROM \(table) WHERE message = ?", message)
            }
            try run("DELETE FROM message WHERE id = ?", message)
        }
    }

    private func has(_ message: Int64, _ source: String) throws -> Bool {
        let statement = try db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM \(source))")
        return try Bool.fetchOne(statement, arguments: [message]) ?? false
    }

    private func run(_ sql: String, _ message: Int64) throws {
        try db.cachedStatement(sql: sql).execute(arguments: [message])
    }
}
