// Moves that an account refused when a task had changed.

import GRDB
public import Models

/// A move of a task's own mail that the account refused.
public struct RefusedTaskMove: Hashable, Sendable {
    public var todo: TodoID
    /// What was to move the mail.
    public var change: TaskChange
    public var message: EmailID
    /// The place that the message was to leave.
    public var place: MessageKey
}

extension RunStore {
    /// The refused moves of one account, oldest first. A move after it, by whatever cause, replaces one.
    public func refusedTaskMoves(account: AccountID) throws(MailStoreError) -> [RefusedTaskMove] {
        try file.reading { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT todo_link.todo, step.rule, step.message, step.kind FROM step INDEXED BY step_refused
                        CROSS JOIN message ON message.email_id = step.message
                        CROSS JOIN todo_link ON todo_link.message = message.id
                    WHERE step.account = (SELECT id FROM account WHERE name = ?)
                        AND step.state IN ('needsDecision', 'rejected') AND step.state = 'rejected'
                        AND step.cause = 'task' AND step.verb = 'move'
                        AND NOT EXISTS (SELECT 1 FROM step AS later
                            WHERE later.message = step.message AND later.id > step.id AND later.verb = 'move'
                                AND later.state <> 'cancelled')
                    ORDER BY step.id
                    """, arguments: [account.rawValue]
            ).compactMap { row in
                guard let change = TaskChange(rawValue: row[1]),
                    case .move(let key, to: _) = try StepRecord.kind(row[3])
                else { return nil }
                return RefusedTaskMove(
                    todo: TodoID(row[0]), change: change, message: EmailID(rawValue: row[2]), place: key)
            }
        }
    }
}
