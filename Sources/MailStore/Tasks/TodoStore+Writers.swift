import GRDB
public import Models

/// Which command of opus wrote a task file, to tell whether a step was queued before or after it.
extension TodoStore {
    /// The last step after this row that left the file of a task with this path and content; nil: another program wrote
    /// it, or an earlier step did.
    public func writer(
        of todo: TodoID, path: String, digest: String, after row: Int64
    ) throws(MailStoreError) -> Int64? {
        try file.reading { db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT \(StepRow.columns) FROM step
                    WHERE step.id > ? AND verb IN ('createTodo', 'updateTodo', 'restoreTodo') AND state = 'confirmed'
                    ORDER BY step.id DESC
                    """, arguments: [row])
            while let row = try rows.next() {
                let step = try StepRow.stepWithoutBytes(row)
                switch step.kind {
                case .createTodo(let written):
                    guard written.id == todo else { continue }
                case .updateTodo(let id, _), .restoreTodo(let id, path: _, content: _, digest: _):
                    guard id == todo else { continue }
                case _: continue
                }
                let outcome = try StepRow.step(row).outcome
                if outcome.digest == digest, outcome.path == path { return step.id }
            }
            return nil
        }
    }

    /// When the command that queued the step began.
    public func time(ofStep step: Int64) throws(MailStoreError) -> Timestamp? {
        try file.reading { db in
            try Int64.fetchOne(
                db, sql: "SELECT run.started_at FROM step JOIN run ON run.id = step.run WHERE step.id = ?",
                arguments: [step])
        }.map { Timestamp(seconds: $0) }
    }
}
