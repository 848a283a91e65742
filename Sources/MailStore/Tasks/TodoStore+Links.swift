// What links a task to its mail, and the user's answers about files that name other mail.

import Foundation
import GRDB
public import Models

/// The user's answer about a task file that names mail which opus did not link to it.
public enum TaskClaimAnswer: String, Hashable, Sendable {
    /// Opus has reported the file, and the user has not answered yet.
    case open
    /// The file has no effect on that mail.
    case no
}

extension TodoStore {
    /// nil: the claim is new.
    public func claim(
        of todo: TodoID, to message: EmailID
    ) throws(MailStoreError) -> TaskClaimAnswer? {
        try file.reading { db in
            try String.fetchOne(
                db, sql: "SELECT answer FROM task_claim WHERE todo = ? AND message = ?",
                arguments: [todo.rawValue, message.rawValue]
            ).flatMap(TaskClaimAnswer.init)
        }
    }

    public func answer(
        _ answer: TaskClaimAnswer, claimOf todo: TodoID, to message: EmailID
    ) throws(MailStoreError) {
        try file.writing { db in
            try db.execute(
                sql: "INSERT OR REPLACE INTO task_claim (todo, message, answer) VALUES (?, ?, ?)",
                arguments: [todo.rawValue, message.rawValue, answer.rawValue])
        }
    }

    /// Links of older versions, which may only repeat what a file claims.
    public func claimedLinks() throws(MailStoreError) -> [TodoID] {
        try file.reading { db in
            try String.fetchAll(db, sql: "SELECT todo FROM todo_link WHERE basis = 'claimed' ORDER BY todo")
                .map { TodoID($0) }
        }
    }

    public func unlink(_ todo: TodoID) throws(MailStoreError) {
        try file.writing { db in
            try db.execute(sql: "DELETE FROM todo_link WHERE todo = ?", arguments: [todo.rawValue])
        }
    }

    // MARK: Files that vanished

    /// Notes that the files of these open tasks are gone.
    public func noteVanished(_ todos: [TodoID], at now: Timestamp) throws(MailStoreError) {
        guard !todos.isEmpty else { return }
        try file.writing { db in
            let statement = try db.cachedStatement(
                sql: "UPDATE todo_link SET vanished_at = ? WHERE todo = ?")
            for todo in todos { try statement.execute(arguments: [now.seconds, todo.rawValue]) }
        }
    }

    /// Tasks of the message whose files vanished since `since` while the tasks were open.
    public func vanished(from message: EmailID, since: Timestamp) throws(MailStoreError) -> [TodoID] {
        try file.reading { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT todo FROM todo_link
                    WHERE vanished_at >= ? AND message = (SELECT id FROM message WHERE email_id = ?)
                        AND todo NOT IN (SELECT todo FROM todo_file)
                    ORDER BY todo
                    """, arguments: [since.seconds, message.rawValue]
            ).map { TodoID($0) }
        }
    }

    /// Moves the link to the mail from `old`, whose file is gone, to `new`.
    public func handOver(_ old: TodoID, to new: TodoID) throws(MailStoreError) {
        try file.writing { db in
            try db.execute(
                sql: """
                    INSERT OR REPLACE INTO todo_link (todo, message, account, rule, basis)
                    SELECT ?2, message, account, rule, basis FROM todo_link WHERE todo = ?1
                    """, arguments: [old.rawValue, new.rawValue])
            try db.execute(
                sql: "UPDATE todo_link SET vanished_at = NULL WHERE todo = ?", arguments: [old.rawValue])
        }
    }
}
