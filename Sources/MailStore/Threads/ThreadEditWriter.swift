import GRDB
import Models

/// Writes the user's edits of threads. Triggers mark the threads that must be shown differently.
struct ThreadEditWriter {
    let db: Database

    func apply(_ change: ThreadChange) throws {
        for edit in change.removed {
            let (kind, message, other) = Self.columns(edit)
            try db.cachedStatement(
                sql: "DELETE FROM thread_edit WHERE kind = ? AND message = ? AND other = ?"
            ).execute(arguments: [kind, message, other])
        }
        for edit in change.added {
            let (kind, message, other) = Self.columns(edit)
            try db.cachedStatement(
                sql: "INSERT OR IGNORE INTO thread_edit (kind, message, other) VALUES (?, ?, ?)"
            ).execute(arguments: [kind, message, other])
        }
    }

    private static func columns(_ edit: ThreadEdit) -> (kind: String, message: String, other: String) {
        switch edit {
        case .split(let message): ("split", Packed.text(message.rawValue), "")
        case .join(let one, let other):
            ("join", Packed.text(min(one, other).rawValue), Packed.text(max(one, other).rawValue))
        }
    }

    static func edits(_ db: Database) throws -> [ThreadEdit] {
        try Row.fetchAll(
            db, sql: "SELECT kind, message, other FROM thread_edit ORDER BY message, kind, other"
        ).map {
            $0[0] as String == "split"
                ? .split(EmailID(rawValue: $0[1])) : .join(EmailID(rawValue: $0[1]), EmailID(rawValue: $0[2]))
        }
    }
}

/// Writes the thread in which each message is shown.
struct ShownThreadWriter {
    let db: Database
    let account: Int64

    func noteDue(_ thread: String) throws {
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO shown_due (account, thread) VALUES (?, ?)")
            .execute(arguments: [account, thread])
    }

    /// Marks a thread that got a new message. The message is shown with the others, or where the user's edits
    /// put it.
    func noteArrival(in thread: ThreadID) throws {
        try db.cachedStatement(
            sql: """
                INSERT OR IGNORE INTO shown_due (account, thread)
                SELECT ?1, ?2 WHERE EXISTS (SELECT 1 FROM thread_edit) OR EXISTS (
                    SELECT 1 FROM message WHERE thread = ?2 AND +account = ?1 AND shown IS NOT NULL)
                """
        ).execute(arguments: [account, thread.rawValue])
    }

    /// Marks two reply threads that became one: their subjects are compared again, and `into` is shown again.
    func noteMerge(of from: ThreadID, into: ThreadID) throws {
        let subjects = try db.cachedStatement(
            sql: """
                INSERT OR IGNORE INTO subject_due (account, subject_key)
                SELECT account, subject_key FROM message
                WHERE thread = ? AND +account = ? AND subject_key <> 0
                """)
        for thread in [from, into] {
            try subjects.execute(arguments: [thread.rawValue, account])
            try noteGroup(of: thread.rawValue)
        }
        try db.cachedStatement(sql: "DELETE FROM subject_group WHERE account = ? AND thread = ?")
            .execute(arguments: [account, from.rawValue])
        try noteDue(into.rawValue)
    }

    /// Marks the subject under which the thread is grouped with others, whatever its first message is now.
    func noteGroup(of thread: String) throws {
        try db.cachedStatement(
            sql: """
                INSERT OR IGNORE INTO subject_due (account, subject_key)
                SELECT account, subject_key FROM subject_group WHERE account = ? AND thread = ?
                """
        ).execute(arguments: [account, thread])
    }
}
