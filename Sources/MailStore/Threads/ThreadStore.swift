import GRDB
public import Models

/// A message of a thread that is to be split into conversations.
public struct ThreadMessage: Hashable, Sendable {
    public var id: EmailID
    public var headerBlock: [UInt8]
    public var received: Timestamp
    /// Whether it is in a mailbox of sent mail.
    public var isOwn: Bool
}

/// The conversations of a thread.
public enum ThreadConversations: Hashable, Sendable {
    case one
    /// The name of the conversation of each message.
    case several([EmailID: ThreadID])
    /// Each message is a separate conversation.
    case alone
}

/// Threads, which are shown, and the conversations in them, on which rules act: which ones are due, and the
/// results.
///
/// The trap: SQLite does not know how large the tables are, and may choose the index on accounts instead of
/// the one on threads. It would then read every message of the account for each thread. `+account` prevents
/// that.
public struct ThreadStore: Sendable {
    let file: StoreFile

    /// Threads to split into conversations, at most `limit`.
    public func dueConversations(
        of account: AccountID, limit: Int
    ) throws(MailStoreError) -> [ThreadID] {
        try file.lookingUp { db in
            guard let accountRow = try db.accountRow(account) else { return [] }
            return try String.fetchAll(
                db, sql: "SELECT thread FROM conversation_due WHERE account = ? LIMIT ?",
                arguments: [accountRow, limit]
            ).map { ThreadID(rawValue: $0) }
        }
    }

    /// What `make` takes from each message of a thread, in all mailboxes; nil: more than `limit`. A header has up to a
    /// megabyte, so it should not be kept.
    public func threadMessages<Value>(
        of thread: ThreadID, account: AccountID, limit: Int, _ make: (ThreadMessage) -> Value
    ) throws(MailStoreError) -> [Value]? {
        try file.reading { db in
            guard let accountRow = try db.accountRow(account) else { return [] }
            let count = try Int.fetchOne(
                db.cachedStatement(sql: "SELECT count(*) FROM message WHERE thread = ? AND +account = ?"),
                arguments: [thread.rawValue, accountRow])
            guard let count, count <= limit else { return nil }
            let statement = try db.cachedStatement(
                sql: """
                    SELECT email_id, headers, received, EXISTS (
                        SELECT 1 FROM placement JOIN mailbox ON mailbox.id = placement.mailbox
                        WHERE placement.message = message.id AND role = 'sent')
                    FROM message JOIN content ON content.message = message.id
                    WHERE thread = ? AND +account = ?
                    """)
            var messages: [Value] = []
            let rows = try Row.fetchCursor(statement, arguments: [thread.rawValue, accountRow])
            while let row = try rows.next() {
                let message = ThreadMessage(
                    id: EmailID(rawValue: row[0]), headerBlock: row.bytes(1),
                    received: row.time(2) ?? Timestamp(seconds: 0), isOwn: row[3])
                messages.append(make(message))
            }
            return messages
        }
    }

    /// Saves the conversations. These threads are then no longer due.
    public func saveConversations(
        _ found: [ThreadID: ThreadConversations], of account: AccountID
    ) throws(MailStoreError) {
        try file.writingSoon { db in
            guard let accountRow = try db.accountRow(account) else { return }
            for (thread, conversations) in found {
                try Self.save(conversations, of: thread, account: accountRow, db)
            }
        }
    }

    private static func save(
        _ conversations: ThreadConversations, of thread: ThreadID, account: Int64, _ db: Database
    ) throws {
        let name = conversations == .alone ? "email_id" : "NULL"
        try db.cachedStatement(
            sql: """
                UPDATE message SET conversation = \(name)
                WHERE thread = ? AND +account = ? AND conversation IS NOT \(name)
                """
        ).execute(arguments: [thread.rawValue, account])
        if case .several(let names) = conversations {
            let statement = try db.cachedStatement(
                sql: "UPDATE message SET conversation = ? WHERE email_id = ?")
            for (id, name) in names { try statement.execute(arguments: [name.rawValue, id.rawValue]) }
        }
        try db.cachedStatement(sql: "DELETE FROM conversation_due WHERE thread = ? AND account = ?")
            .execute(arguments: [thread.rawValue, account])
    }

    /// The user's own mail in these threads.
    public func ownMail(in threads: [ThreadID], account: AccountID) throws(MailStoreError) -> OwnMail {
        guard !threads.isEmpty else { return OwnMail() }
        return try file.reading { db in try OwnMail(db, in: threads, account: account) }
    }
}
