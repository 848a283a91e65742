import GRDB
public import Models

/// The list of conversations: one row per shown thread, maintained by triggers. The content of a row is read
/// when it is shown.
extension ThreadStore {
    /// The threads of a list.
    public enum Scope: Hashable, Sendable {
        /// With a message in the inbox.
        case inbox
        case everything
    }

    /// The newest threads with their messages, and the number of all threads.
    public func list(
        _ scope: Scope, account: AccountID?, limit: Int?
    ) throws(MailStoreError) -> (threads: [StoredThread], count: Int) {
        try file.reading { db in
            let reader = try ThreadReader(db: db)
            let condition = """
                FROM thread_row WHERE \(scope == .inbox ? "in_inbox = 1" : "latest IS NOT NULL")
                    \(account == nil ? "" : "AND +account = (SELECT id FROM account WHERE name = ?1)")
                """
            let arguments: StatementArguments = account.map { [$0.rawValue] } ?? []
            var found: [StoredThread] = []
            var count = try Int.fetchOne(db, sql: "SELECT count(*) \(condition)", arguments: arguments) ?? 0
            let rows = try Row.fetchCursor(
                db, sql: "SELECT account, thread \(condition) ORDER BY latest DESC", arguments: arguments)
            while limit.map({ found.count < $0 }) ?? true, let row = try rows.next() {
                let thread = try reader.thread(row[1], account: row[0])
                if let thread, scope == .everything || thread.messages.contains(where: \.isInInbox) {
                    found.append(thread)
                } else {
                    count -= 1
                }
            }
            return (found.sortedByDate, count)
        }
    }

    /// These shown threads with their messages, the newest first. Threads without a message in a mailbox are
    /// left out.
    public func stored(
        _ threads: [ThreadID], account: AccountID
    ) throws(MailStoreError) -> [StoredThread] {
        try file.reading { db in
            guard let accountRow = try db.accountRow(account) else { return [] }
            let reader = try ThreadReader(db: db)
            return try threads.compactMap { try reader.thread($0.rawValue, account: accountRow) }.sortedByDate
        }
    }

    /// Updates at most `limit` rows of threads that lost a message; false: there were none.
    public func refreshRows(of account: AccountID, limit: Int) throws(MailStoreError) -> Bool {
        let due = try file.lookingUp { db -> [String] in
            guard let accountRow = try db.accountRow(account) else { return [] }
            return try String.fetchAll(
                db,
                sql: """
                    SELECT thread FROM thread_row INDEXED BY thread_row_due WHERE account = ? AND is_due = 1 LIMIT ?
                    """,
                arguments: [accountRow, limit])
        }
        guard !due.isEmpty else { return false }
        try file.writingSoon { db in
            guard let accountRow = try db.accountRow(account) else { return }
            for thread in due { try Self.refresh(thread, accountRow, db) }
        }
        return true
    }

    private static func refresh(_ thread: String, _ account: Int64, _ db: Database) throws {
        let facts = try Row.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT max(at), max(coalesce(role, '') = 'inbox') FROM (
                        SELECT id, coalesce(sent, received) AS at FROM message
                            WHERE thread = ?1 AND shown IS NULL AND +account = ?2
                        UNION ALL
                        SELECT id, coalesce(sent, received) FROM message WHERE shown = ?1 AND +account = ?2
                    ) AS member JOIN placement ON placement.message = member.id
                    JOIN mailbox ON mailbox.id = coalesce(shown_mailbox, placement.mailbox)
                    """), arguments: [thread, account])
        guard let facts, let latest = facts[0] as Int64? else {
            try db.cachedStatement(sql: "DELETE FROM thread_row WHERE account = ? AND thread = ?")
                .execute(arguments: [account, thread])
            return
        }
        try db.cachedStatement(
            sql: """
                UPDATE thread_row SET latest = ?3, in_inbox = ?4, is_due = 0 WHERE account = ?1 AND thread = ?2
                """
        ).execute(arguments: [account, thread, latest, facts[1] as Int64])
    }
}

extension [StoredThread] {
    /// The newest first.
    fileprivate var sortedByDate: [StoredThread] {
        map { ($0.messages.last?.date ?? Timestamp(seconds: 0), $0) }
            .sorted { ($0.0, $0.1.thread) > ($1.0, $1.1.thread) }.map(\.1)
    }
}

/// Reads threads inside one consistent view.
private struct ThreadReader {
    let db: Database
    private let mailboxes: [Int64: KnownMailbox]
    private let accounts: [Int64: AccountID]
    private let members: Statement
    private let places: Statement
    private let todos: Statement

    init(db: Database) throws {
        self.db = db
        mailboxes = try db.allMailboxes()
        accounts = Dictionary(
            try Row.fetchAll(db, sql: "SELECT id, name FROM account").map { ($0[0], AccountID($0[1])) }
        ) { $1 }
        members = try db.cachedStatement(
            sql: """
                SELECT id, email_id, thread, subject, subject_marks, addresses, coalesce(sent, received) AS at,
                    attachments, snippet, message_id FROM message
                    WHERE thread = ?1 AND shown IS NULL AND +account = ?2
                UNION ALL
                SELECT id, email_id, thread, subject, subject_marks, addresses, coalesce(sent, received),
                    attachments, snippet, message_id FROM message
                    WHERE shown = ?1 AND +account = ?2
                ORDER BY at, email_id
                """)
        places = try db.cachedStatement(
            sql: """
                SELECT coalesce(shown_mailbox, mailbox), coalesce(shown_flags, flags)
                FROM placement WHERE message = ? ORDER BY mailbox, uid
                """)
        todos = try db.cachedStatement(
            sql: """
                SELECT todo_link.todo, content FROM todo_link
                JOIN todo_file ON todo_file.todo = todo_link.todo AND is_open = 1
                WHERE todo_link.message = ? ORDER BY todo_link.todo
                """)
    }

    /// nil: none of its messages is in a mailbox.
    func thread(_ name: String, account: Int64) throws -> StoredThread? {
        guard let id = accounts[account] else { return nil }
        var messages: [StoredThread.Message] = []
        let rows = try Row.fetchAll(members, arguments: [name, account])
        for row in rows { if let message = try message(row) { messages.append(message) } }
        guard !messages.isEmpty else { return nil }
        return StoredThread(account: id, thread: ThreadID(rawValue: name), messages: messages)
    }

    private func message(_ row: Row) throws -> StoredThread.Message? {
        let addresses: Packed.Addresses = Packed.addresses(row[5] as String)
        var message = StoredThread.Message(
            id: EmailID(rawValue: row[1]), messageID: (row[9] as String?).map { MessageID($0) },
            thread: ThreadID(rawValue: row[2]), subject: row[3],
            marks: SubjectMarks(rawValue: row[4]), from: addresses.from,
            date: Timestamp(seconds: row[6]), attachments: Packed.attachments(row[7] as String),
            snippet: row[8], text: nil, isUnread: false, isFlagged: false, roles: [], mailboxes: [],
            todos: [:])
        let rowID = row[0] as Int64
        var isPlaced = false
        for place in try Row.fetchAll(places, arguments: [rowID]) {
            guard let known = mailboxes[place[0]], !known.isMissing else { continue }
            isPlaced = true
            let flags = Packed.flags(place[1] as Int64)
            let role = known.mailbox.role
            if let role { message.roles.insert(role) }
            if flags.contains(.flagged) { message.isFlagged = true }
            let counts = role != .sent && role != .drafts && role != .trash && role != .junk
            if counts, !flags.contains(.seen) { message.isUnread = true }
            if !message.mailboxes.contains(known.mailbox.displayName) {
                message.mailboxes.append(known.mailbox.displayName)
            }
        }
        guard isPlaced else { return nil }
        if message.snippet == nil {
            message.text = try String.fetchOne(
                db.cachedStatement(sql: "SELECT substr(text, 1, ?2) FROM content WHERE message = ?1"),
                arguments: [rowID, ThreadStore.textForSnippet])
        }
        for todo in try Row.fetchAll(todos, arguments: [rowID]) {
            let isWaiting = (try? TodoRecord.decode(todo[1]))?.list == .waiting
            message.todos[TodoID(todo[0])] = isWaiting
        }
        return message
    }
}
