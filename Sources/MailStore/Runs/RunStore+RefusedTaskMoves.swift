// Moves that an account refused when a task had changed.

import GRDB
public import Models

extension RunStore {
    /// The tasks whose own mail could not be moved, with the change that was to move it. A move after it, by whatever
    /// cause, replaces it.
    public func refusedTaskMoves(account: AccountID) throws(MailStoreError) -> [TodoID: TaskChange] {
        try file.reading { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT todo_link.todo, step.rule FROM step INDEXED BY step_refused
                        CROSS JOIN message ON message.email_id = step.message
                        CROSS JOIN todo_link ON todo_link.message = message.id
                    WHERE step.account = (SELECT id FROM account WHERE name = ?)
                        AND step.state IN ('needsDecision', 'rejected') AND step.state = 'rejected'
                        AND step.cause = 'task' AND step.verb = 'move'
                        AND NOT EXISTS (SELECT 1 FROM step AS later
                            WHERE later.message = step.message AND later.id > step.id AND later.verb = 'move'
                                AND later.state <> 'cancelled')
                    ORDER BY step.id
                    """, arguments: [account.rawValue])
            var changes: [TodoID: TaskChange] = [:]
            for row in rows { changes[TodoID(row[0])] = TaskChange(rawValue: row[1]) }
            return changes
        }
    }
}
