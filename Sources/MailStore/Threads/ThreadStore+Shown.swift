import GRDB
public import Models

/// The thread in which each message is shown.
extension ThreadStore {
    /// The user's edits of threads, in all accounts.
    public func edits() throws(MailStoreError) -> [ThreadEdit] {
        try file.lookingUp { db in try ThreadEditWriter.edits(db) }
    }

    /// The reply threads of messages of this account.
    public func threads(
        of messages: [EmailID], account: AccountID
    ) throws(MailStoreError) -> [EmailID: ThreadID] {
        guard !messages.isEmpty else { return [:] }
        return try file.lookingUp { db in
            try Self.pairs(
                db,
                """
                SELECT email_id, thread FROM message
                WHERE email_id IN (SELECT value FROM json_each(?1))
                    AND +account = (SELECT id FROM account WHERE name = ?2)
                """, [try JSONList.of(messages.map(\.rawValue)), account.rawValue])
        }
    }

    /// The thread in which each message is shown.
    public func shownThreads(of messages: [EmailID]) throws(MailStoreError) -> [EmailID: ThreadID] {
        guard !messages.isEmpty else { return [:] }
        return try file.reading { db in
            try Self.pairs(
                db,
                """
                SELECT email_id, coalesce(shown, thread) FROM message
                WHERE email_id IN (SELECT value FROM json_each(?1))
                """, [try JSONList.of(messages.map(\.rawValue))])
        }
    }

    private static func pairs(
        _ db: Database, _ sql: String, _ arguments: StatementArguments
    ) throws -> [EmailID: ThreadID] {
        let rows = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: arguments)
        var found: [EmailID: ThreadID] = [:]
        while let row = try rows.next() { found[EmailID(rawValue: row[0])] = ThreadID(rawValue: row[1]) }
        return found
    }

    /// The messages that are shown as one thread, oldest first.
    public func messages(shownAs thread: ThreadID) throws(MailStoreError) -> [EmailID] {
        try file.reading { db in
            try String.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT email_id FROM (
                            SELECT email_id, coalesce(sent, received) AS at FROM message
                                WHERE thread = ?1 AND shown IS NULL
                            UNION ALL
                            SELECT email_id, coalesce(sent, received) FROM message WHERE shown = ?1)
                        ORDER BY at, email_id
                        """), arguments: [thread.rawValue]
            ).map { EmailID(rawValue: $0) }
        }
    }

    /// The header of a message without the rest.
    public func header(of message: EmailID) throws(MailStoreError) -> ThreadMessage? {
        try file.reading { db in
            let row = try Row.fetchOne(
                db.cachedStatement(
                    sql: """
                        SELECT headers, received FROM message JOIN content ON content.message = message.id
                        WHERE email_id = ?
                        """), arguments: [message.rawValue])
            return row.map {
                ThreadMessage(
                    id: message, headerBlock: $0.bytes(0), received: $0.time(1) ?? Timestamp(seconds: 0),
                    isOwn: false)
            }
        }
    }

    /// Threads whose messages need a new shown thread, at most `limit`.
    public func dueShown(of account: AccountID, limit: Int) throws(MailStoreError) -> [ThreadID] {
        try file.lookingUp { db in
            guard let accountRow = try db.accountRow(account) else { return [] }
            return try String.fetchAll(
                db, sql: "SELECT thread FROM shown_due WHERE account = ? LIMIT ?",
                arguments: [accountRow, limit]
            ).map { ThreadID(rawValue: $0) }
        }
    }

    /// The subject group of each thread.
    public func subjectGroups(
        of threads: [ThreadID], account: AccountID
    ) throws(MailStoreError) -> [ThreadID: ThreadID] {
        try file.lookingUp { db in
            let rows = try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT thread, name FROM subject_group
                        WHERE account = (SELECT id FROM account WHERE name = ?1)
                            AND thread IN (SELECT value FROM json_each(?2))
                        """), arguments: [account.rawValue, try JSONList.of(threads.map(\.rawValue))])
            return Dictionary(rows.map { (ThreadID(rawValue: $0[0]), ThreadID(rawValue: $0[1])) }) { $1 }
        }
    }

    /// The threads in the groups with these names.
    public func threads(
        inGroups names: [ThreadID], account: AccountID
    ) throws(MailStoreError) -> [ThreadID] {
        try file.lookingUp { db in
            try String.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT thread FROM subject_group
                        WHERE account = (SELECT id FROM account WHERE name = ?1)
                            AND name IN (SELECT value FROM json_each(?2))
                        """), arguments: [account.rawValue, try JSONList.of(names.map(\.rawValue))]
            ).map { ThreadID(rawValue: $0) }
        }
    }

    /// Stores the thread in which each message is shown. These threads are then no longer due.
    public func saveShown(
        _ found: [ThreadID: ShownThread], of account: AccountID
    ) throws(MailStoreError) {
        try file.writingSoon { db in
            guard let accountRow = try db.accountRow(account) else { return }
            let whole = try db.cachedStatement(
                sql: """
                    UPDATE message SET shown = ?3 WHERE thread = ?1 AND +account = ?2 AND shown IS NOT ?3
                    """)
            let one = try db.cachedStatement(
                sql: "UPDATE message SET shown = ?2 WHERE email_id = ?1 AND shown IS NOT ?2")
            let done = try db.cachedStatement(sql: "DELETE FROM shown_due WHERE account = ? AND thread = ?")
            for (thread, shown) in found {
                let name = shown.name == thread ? nil : shown.name.rawValue
                if shown.parts.isEmpty {
                    try whole.execute(arguments: [thread.rawValue, accountRow, name])
                } else {
                    let messages = try String.fetchAll(
                        db, sql: "SELECT email_id FROM message WHERE thread = ? AND +account = ?",
                        arguments: [thread.rawValue, accountRow])
                    for message in messages {
                        let part = shown.parts[EmailID(rawValue: message)]?.rawValue
                        try one.execute(arguments: [message, part ?? name])
                    }
                }
                try done.execute(arguments: [accountRow, thread.rawValue])
            }
        }
    }
}

/// How a reply thread is shown.
public struct ShownThread: Hashable, Sendable {
    /// The name of the shown thread.
    public var name: ThreadID
    /// The shown threads of messages that the user split off.
    public var parts: [EmailID: ThreadID]

    public init(name: ThreadID, parts: [EmailID: ThreadID] = [:]) {
        self.name = name
        self.parts = parts
    }
}
