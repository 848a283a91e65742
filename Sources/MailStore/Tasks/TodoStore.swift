import Foundation
import GRDB
public import Models

/// Tasks in the store: the file versions as of the last sync, and the mail of each task.
public struct TodoStore: Sendable {
    let file: StoreFile

    /// Only the paths, for callers that do not need the content.
    public func todoPaths() throws(MailStoreError) -> Set<String> {
        try file.reading { db in try String.fetchSet(db, sql: "SELECT path FROM todo_file") }
    }

    /// By path. A row that cannot be read is left out: the next scan reads its file and saves it again.
    public func todoFiles() throws(MailStoreError) -> [TodoFile] {
        try file.reading { db in
            let rows = try Row.fetchCursor(
                db,
                sql:
                    "SELECT path, size, modified_nanoseconds, inode, digest, content FROM todo_file ORDER BY path"
            )
            var files: [TodoFile] = []
            files.reserveCapacity(try Int.fetchOne(db, sql: "SELECT count(*) FROM todo_file") ?? 0)
            while let row = try rows.next() { if let file = Self.todoFile(row) { files.append(file) } }
            return files
        }
    }

    /// The last agreed version of one task; nil: there is none, or it cannot be read.
    public func todoFile(_ id: TodoID) throws(MailStoreError) -> TodoFile? {
        try file.reading { db in
            try Row.fetchOne(
                db.cachedStatement(
                    sql: """
                        SELECT path, size, modified_nanoseconds, inode, digest, content FROM todo_file
                        WHERE todo = ?
                        """), arguments: [id.rawValue]
            ).flatMap { Self.todoFile($0) }
        }
    }

    private static func todoFile(_ row: Row) -> TodoFile? {
        guard let todo = todo(row, at: 5) else { return nil }
        return TodoFile(
            todo: todo, path: row[0], size: row[1], modifiedNanoseconds: row[2],
            inode: UInt64(bitPattern: row[3] as Int64), digest: row[4])
    }

    /// nil: the record is damaged.
    private static func todo(_ row: Row, at column: Int) -> Todo? {
        try? row.withUnsafeData(atIndex: column) { try TodoRecord.decode($0 ?? Data()) }
    }

    /// Saves the result of a scan. Links to mail stay when a file is gone.
    public func saveTodoFiles(_ upsert: [TodoFile], removing: [TodoID]) throws(MailStoreError) {
        try file.writing { db in
            let delete = try db.cachedStatement(sql: "DELETE FROM todo_file WHERE todo = ?")
            for id in removing { try delete.execute(arguments: [id.rawValue]) }
            let insert = try db.cachedStatement(
                sql: """
                    INSERT OR REPLACE INTO todo_file
                        (todo, is_open, path, size, modified_nanoseconds, inode, digest, content)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                    """)
            for file in upsert {
                try insert.execute(arguments: [
                    file.todo.id.rawValue, file.todo.isOpen, file.path, file.size, file.modifiedNanoseconds,
                    Int64(bitPattern: file.inode), file.digest, TodoRecord.encode(file.todo),
                ])
            }
        }
    }

    /// Links a task to its mail. A task has one mail.
    public func linkTodo(
        _ id: TodoID, to message: EmailID, account: AccountID, rule: String, basis: TodoLink.Basis = .made
    ) throws(MailStoreError) {
        try file.writing { db in
            try Self.link(
                db, todo: id, message: message, account: db.requireAccountRow(account), rule: rule,
                basis: basis)
            try db.execute(
                sql: "DELETE FROM task_claim WHERE todo = ? AND message = ?",
                arguments: [id.rawValue, message.rawValue])
        }
    }

    static func link(
        _ db: Database, todo: TodoID, message: EmailID, account: Int64, rule: String,
        basis: TodoLink.Basis = .made
    ) throws {
        let statement = try db.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO todo_link (todo, message, account, rule, basis)
                VALUES (?, ?, ?, ?, ?)
                """)
        try statement.execute(
            arguments: [
                todo.rawValue, db.requireMessageRow(message), account, Packed.text(rule), basis.rawValue,
            ])
    }

    public func links(for ids: [TodoID]) throws(MailStoreError) -> [TodoID: TodoLink] {
        try file.reading { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT email_id, thread, account.name, rule, conversation FROM todo_link
                    JOIN message ON message.id = todo_link.message
                    JOIN account ON account.id = todo_link.account
                    WHERE todo = ?
                    """)
            var links: [TodoID: TodoLink] = [:]
            for id in ids {
                guard let row = try Row.fetchOne(statement, arguments: [id.rawValue]) else { continue }
                links[id] = TodoLink(
                    message: EmailID(rawValue: row[0]), thread: ThreadID(rawValue: row[1]),
                    conversation: (row[4] as String?).map { ThreadID(rawValue: $0) },
                    account: AccountID(row[2]), rule: row[3])
            }
            return links
        }
    }

    // MARK: Notices about mail

    /// Messages that arrived in the thread of an open task after its own message, and were not noted in it
    /// yet (``TaskNotice/Kind/reply``), the oldest first.
    public func unnotedReplies(
        account: AccountID
    ) throws(MailStoreError) -> [(todo: TodoID, message: EmailID)] {
        try messages(of: account, Self.replies)
    }

    /// Open tasks whose mail is in no mailbox any more, if that was not reported yet
    /// (``TaskNotice/Kind/mailGone``). None while a mailbox is being read again and has not been read completely.
    public func todosWithoutMail(
        account: AccountID
    ) throws(MailStoreError) -> [(todo: TodoID, message: EmailID)] {
        try messages(of: account, Self.mailGone)
    }

    // CROSS JOIN keeps the order: otherwise SQLite begins with all messages of the account.
    static let replies = """
        SELECT todo_file.todo, reply.email_id FROM todo_file
        CROSS JOIN todo_link ON todo_link.todo = todo_file.todo
        CROSS JOIN message AS own ON own.id = todo_link.message
        CROSS JOIN message AS reply ON reply.thread = own.thread AND +reply.account = own.account
            AND reply.id <> own.id AND reply.received > own.received
        WHERE is_open AND own.account = (SELECT id FROM account WHERE name = ?)
            AND NOT EXISTS (SELECT 1 FROM task_notice
                WHERE message = reply.id AND todo = todo_file.todo AND kind = 'reply')
        ORDER BY todo_file.todo, reply.received, reply.id
        """

    static let mailGone = """
        SELECT todo_file.todo, own.email_id FROM todo_file
        CROSS JOIN todo_link ON todo_link.todo = todo_file.todo
        CROSS JOIN message AS own ON own.id = todo_link.message
        WHERE is_open AND own.account = (SELECT id FROM account WHERE name = ?)
            AND NOT EXISTS (SELECT 1 FROM placement WHERE placement.message = own.id)
            AND NOT EXISTS (SELECT 1 FROM task_notice
                WHERE message = own.id AND todo = todo_file.todo AND kind = 'mail-gone')
            AND NOT EXISTS (SELECT 1 FROM mailbox WHERE mailbox.account = own.account
                AND is_rebinding AND NOT is_missing AND NOT is_left_out)
        ORDER BY todo_file.todo
        """

    private func messages(
        of account: AccountID, _ sql: String
    ) throws(MailStoreError) -> [(todo: TodoID, message: EmailID)] {
        try file.reading { db in
            try Row.fetchAll(db, sql: sql, arguments: [account.rawValue])
                .map { (TodoID($0[0]), EmailID(rawValue: $0[1])) }
        }
    }

    public func note(_ notices: [TaskNotice]) throws(MailStoreError) {
        try file.writing { db in try Self.note(db, notices) }
    }

    static func note(_ db: Database, _ notices: [TaskNotice]) throws {
        let statement = try db.cachedStatement(
            sql: "INSERT OR IGNORE INTO task_notice (message, todo, kind) VALUES (?, ?, ?)")
        for notice in notices {
            try statement.execute(
                arguments: [
                    db.requireMessageRow(notice.message), notice.todo.rawValue, notice.kind.rawValue,
                ])
        }
    }

    /// The tasks in which these messages were noted, by message.
    public func noted(
        _ kind: TaskNotice.Kind, in messages: [EmailID]
    ) throws(MailStoreError) -> [EmailID: Set<TodoID>] {
        try file.reading { db in
            let rows = try Row.fetchCursor(
                db, sql: Self.notedMessages,
                arguments: [kind.rawValue, try JSONList.of(messages.map(\.rawValue))])
            var found: [EmailID: Set<TodoID>] = [:]
            while let row = try rows.next() {
                found[EmailID(rawValue: row[0]), default: []].insert(TodoID(row[1]))
            }
            return found
        }
    }

    // CROSS JOIN keeps the order: a list shows few messages.
    static let notedMessages = """
        SELECT email_id, todo FROM json_each(?2) AS wanted
        CROSS JOIN message ON message.email_id = wanted.value
        CROSS JOIN task_notice ON task_notice.message = message.id
        WHERE kind = ?1
        """

    /// The messages that were noted in open tasks, with these tasks.
    public func notedInOpenTodos(
        _ kind: TaskNotice.Kind
    ) throws(MailStoreError) -> [EmailID: Set<TodoID>] {
        try file.reading { db in
            let rows = try Row.fetchCursor(db, sql: Self.openNotices, arguments: [kind.rawValue])
            var found: [EmailID: Set<TodoID>] = [:]
            while let row = try rows.next() {
                found[EmailID(rawValue: row[0]), default: []].insert(TodoID(row[1]))
            }
            return found
        }
    }

    // The table of notices has no index on tasks, so SQLite reads it once.
    static let openNotices = """
        SELECT email_id, task_notice.todo FROM task_notice
        CROSS JOIN todo_file ON todo_file.todo = task_notice.todo AND is_open = 1
        CROSS JOIN message ON message.id = task_notice.message
        WHERE kind = ?1
        """

    /// The messages that were already noted, by task.
    public func notices(
        _ kind: TaskNotice.Kind, of todos: [TodoID]
    ) throws(MailStoreError) -> [TodoID: Set<EmailID>] {
        try file.reading { db in
            // One scan: the table has no index on tasks, and a list may have thousands of them.
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT todo, email_id FROM task_notice CROSS JOIN message ON message.id = task_notice.message
                    WHERE kind = ?1 AND todo IN (SELECT value FROM json_each(?2))
                    """, arguments: [kind.rawValue, try JSONList.of(todos.map(\.rawValue))])
            var found = Dictionary(uniqueKeysWithValues: Set(todos).map { ($0, Set<EmailID>()) })
            while let row = try rows.next() {
                found[TodoID(row[0]), default: []].insert(EmailID(rawValue: row[1]))
            }
            return found
        }
    }

    /// The content of these tasks; completed and deleted tasks are left out.
    public func openTodos(_ ids: [TodoID]) throws(MailStoreError) -> [TodoID: Todo] {
        try file.reading { db in
            let statement = try db.cachedStatement(
                sql: "SELECT content FROM todo_file WHERE todo = ? AND is_open = 1")
            var todos: [TodoID: Todo] = [:]
            for id in ids {
                guard let row = try Row.fetchOne(statement, arguments: [id.rawValue]) else { continue }
                todos[id] = Self.todo(row, at: 0)
            }
            return todos
        }
    }
}
