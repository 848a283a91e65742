import GRDB
public import Models

/// Threads with the same subject: those that must be compared again, and the groups that are shown as one
/// thread.
extension ThreadStore {
    /// Messages whose subject has not been read yet, at most `limit`.
    public func unreadSubjects(
        of account: AccountID, limit: Int
    ) throws(MailStoreError) -> [UnreadSubject] {
        try file.lookingUp { db in
            guard let accountRow = try db.accountRow(account) else { return [] }
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT email_id, headers, substr(text, 1, ?3) FROM message
                    JOIN content ON content.message = message.id
                    WHERE account = ?1 AND subject_key IS NULL LIMIT ?2
                    """, arguments: [accountRow, limit, Self.textForSnippet])
            var found: [UnreadSubject] = []
            while let row = try rows.next() {
                found.append(
                    UnreadSubject(id: EmailID(rawValue: row[0]), headerBlock: row.bytes(1), text: row[2]))
            }
            return found
        }
    }

    /// Number of characters at the beginning of a text from which a snippet is taken.
    public static let textForSnippet = 4_000

    public func saveSubjects(
        _ facts: [EmailID: SubjectFacts], of account: AccountID
    ) throws(MailStoreError) {
        try file.writingSoon { db in
            guard let accountRow = try db.accountRow(account) else { return }
            let update = try db.cachedStatement(
                sql: """
                    UPDATE message SET subject_key = ?, subject_marks = ?, snippet = ?
                    WHERE email_id = ? AND account = ?
                    """)
            let due = try db.cachedStatement(
                sql: "INSERT OR IGNORE INTO subject_due (account, subject_key) VALUES (?, ?)")
            for (id, facts) in facts {
                try update.execute(arguments: [
                    facts.key, facts.marks.rawValue, Packed.text(facts.snippet), id.rawValue, accountRow,
                ])
                if facts.key != 0 { try due.execute(arguments: [accountRow, facts.key]) }
            }
        }
    }

    /// Marks every subject that new settings, or threads with a new message, may have changed.
    public func noteDueSubjects(
        of account: AccountID, _ settings: ThreadSettings
    ) throws(MailStoreError) {
        let isDue = try file.lookingUp { db -> Bool in
            guard let accountRow = try db.accountRow(account) else { return false }
            return try !Self.has(settings, of: accountRow, db)
                || Bool.fetchOne(
                    db, sql: "SELECT EXISTS (SELECT 1 FROM conversation_due WHERE account = ?)",
                    arguments: [accountRow]) ?? false
        }
        guard isDue else { return }
        try file.writingSoon { db in
            guard let accountRow = try db.accountRow(account) else { return }
            if try !Self.has(settings, of: accountRow, db) {
                try db.execute(
                    sql: """
                        INSERT OR REPLACE INTO thread_settings (account, subjects, days) VALUES (?1, ?2, ?3);
                        """, arguments: [accountRow, settings.subjects.rawValue, settings.days])
                try db.execute(
                    sql: """
                        INSERT OR IGNORE INTO subject_due (account, subject_key)
                        SELECT account, subject_key FROM message WHERE account = ? AND subject_key <> 0
                        """, arguments: [accountRow])
            }
            // The first message of such a thread may be a different one now. The query must use the index on
            // threads: with the index on accounts, it would read every message for each due thread.
            try db.execute(
                sql: """
                    INSERT OR IGNORE INTO subject_due (account, subject_key)
                    SELECT message.account, subject_key FROM conversation_due
                        CROSS JOIN message ON message.thread = conversation_due.thread
                            AND +message.account = conversation_due.account
                    WHERE conversation_due.account = ?1 AND subject_key <> 0
                    UNION
                    SELECT subject_group.account, subject_key FROM conversation_due
                        CROSS JOIN subject_group USING (account, thread)
                    WHERE conversation_due.account = ?1
                    """, arguments: [accountRow])
        }
    }

    private static func has(_ settings: ThreadSettings, of account: Int64, _ db: Database) throws -> Bool {
        try Bool.fetchOne(
            db,
            sql: """
                SELECT EXISTS (SELECT 1 FROM thread_settings WHERE account = ? AND subjects = ? AND days = ?)
                """, arguments: [account, settings.subjects.rawValue, settings.days]) ?? false
    }

    /// Subjects to compare, at most `limit`.
    public func dueSubjects(of account: AccountID, limit: Int) throws(MailStoreError) -> [Int64] {
        try file.lookingUp { db in
            guard let accountRow = try db.accountRow(account) else { return [] }
            return try Int64.fetchAll(
                db, sql: "SELECT subject_key FROM subject_due WHERE account = ? LIMIT ?",
                arguments: [accountRow, limit])
        }
    }

    /// The threads whose first message has this subject; empty if there is only one.
    ///
    /// The first message is one that refers to no other message, if the thread has such a message. Threads
    /// that the user split, and threads whose first message came through a mailing list, are left out.
    public func threads(
        withSubject key: Int64, of account: AccountID
    ) throws(MailStoreError) -> [SubjectThread] {
        try file.lookingUp { db in
            guard let accountRow = try db.accountRow(account) else { return [] }
            return try SubjectReader(db: db, account: accountRow).threads(withSubject: key)
        }
    }

    /// Stores which threads of these subjects are shown together, with the name of each group. The subjects
    /// are then no longer due.
    public func saveSubjectGroups(
        _ found: [Int64: [ThreadID: ThreadID]], of account: AccountID
    ) throws(MailStoreError) {
        try file.writingSoon { db in
            guard let accountRow = try db.accountRow(account) else { return }
            let writer = SubjectGroupWriter(db: db, account: accountRow)
            for (key, groups) in found { try writer.save(groups, of: key) }
        }
    }
}

private struct SubjectReader {
    let db: Database
    let account: Int64

    func threads(withSubject key: Int64) throws -> [SubjectThread] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT thread, coalesce(sent, received) AS at FROM message
                WHERE account = ? AND subject_key = ? AND subject_key <> 0
                """)
        var dates: [String: [Timestamp]] = [:]
        let rows = try Row.fetchCursor(statement, arguments: [account, key])
        while let row = try rows.next() {
            dates[row[0], default: []].append(Timestamp(seconds: row[1]))
        }
        guard dates.count > 1 else { return [] }
        return try dates.compactMap { thread, dates in
            guard let first = try first(of: thread), first.key == key, !first.marks.contains(.bulk) else {
                return nil
            }
            return SubjectThread(
                thread: ThreadID(rawValue: thread), key: key, marks: first.marks, dates: dates)
        }
    }

    private func first(of thread: String) throws -> (key: Int64, marks: SubjectMarks)? {
        let statement = try db.cachedStatement(
            sql: """
                SELECT coalesce(subject_key, 0), subject_marks, email_id FROM message
                WHERE thread = ? AND +account = ?
                ORDER BY subject_marks & 2 = 0, coalesce(sent, received), email_id LIMIT 1
                """)
        guard let row = try Row.fetchOne(statement, arguments: [thread, account]) else { return nil }
        let isSplit =
            try Int.fetchOne(
                db.cachedStatement(sql: "SELECT 1 FROM thread_edit WHERE kind = 'split' AND message = ?"),
                arguments: [row[2] as String]) != nil
        return isSplit ? nil : (row[0], SubjectMarks(rawValue: row[1]))
    }
}

private struct SubjectGroupWriter {
    let db: Database
    let account: Int64

    func save(_ groups: [ThreadID: ThreadID], of key: Int64) throws {
        let shown = ShownThreadWriter(db: db, account: account)
        let rows = try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT thread, name FROM subject_group INDEXED BY subject_group_key
                    WHERE account = ? AND subject_key = ?
                    """),
            arguments: [account, key])
        let before = Dictionary(rows.map { (ThreadID(rawValue: $0[0]), ThreadID(rawValue: $0[1])) }) { $1 }
        for thread in before.keys where groups[thread] == nil {
            try db.cachedStatement(sql: "DELETE FROM subject_group WHERE account = ? AND thread = ?")
                .execute(arguments: [account, thread.rawValue])
            try shown.noteDue(thread.rawValue)
        }
        for (thread, name) in groups where before[thread] != name {
            try shown.noteGroup(of: thread.rawValue)
            try db.cachedStatement(
                sql: """
                    INSERT OR REPLACE INTO subject_group (account, thread, subject_key, name) VALUES (?, ?, ?, ?)
                    """
            ).execute(arguments: [account, thread.rawValue, key, name.rawValue])
            try shown.noteDue(thread.rawValue)
        }
        try db.cachedStatement(sql: "DELETE FROM subject_due WHERE account = ? AND subject_key = ?")
            .execute(arguments: [account, key])
    }
}
