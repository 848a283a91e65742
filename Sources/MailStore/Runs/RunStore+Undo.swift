import Foundation
import GRDB
public import Models

/// Which steps were undone, and by which run. A step that names another one in `undoes` is its inverse.
extension RunStore {
    /// For each undone step of the run, or of the part, the run that undid it. An inverse does not count if
    /// it was refused, cancelled or undone itself.
    public func undone(in run: RunID) throws(MailStoreError) -> [Int64: RunID] {
        try file.reading { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT step.id, coalesce(run.part_of, run.id)
                    FROM step JOIN step AS inverse ON inverse.undoes = step.id JOIN run ON run.id = inverse.run
                    WHERE step.run IN (SELECT id FROM run WHERE id = ?1 OR part_of = ?1) AND \(Self.isInForce)
                    ORDER BY inverse.id
                    """, arguments: [run.rawValue])
            return Dictionary(
                rows.map { ($0[0] as Int64, RunID(rawValue: $0[1])) }, uniquingKeysWith: { _, last in last })
        }
    }

    /// The same for these steps only: a session may have thousands of others.
    public func undone(of steps: [Int64]) throws(MailStoreError) -> [Int64: RunID] {
        try file.reading { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT coalesce(run.part_of, run.id) FROM step AS inverse JOIN run ON run.id = inverse.run
                    WHERE inverse.undoes = ? AND \(Self.isInForce)
                    ORDER BY inverse.id DESC LIMIT 1
                    """)
            var undone: [Int64: RunID] = [:]
            for step in steps {
                undone[step] = try Int64.fetchOne(statement, arguments: [step]).map { RunID(rawValue: $0) }
            }
            return undone
        }
    }

    /// The step `inverse` was not refused, cancelled or undone itself.
    private static let isInForce = """
        inverse.state NOT IN ('rejected', 'cancelled') AND NOT EXISTS (
            SELECT 1 FROM step AS again
            WHERE again.undoes = inverse.id AND again.state NOT IN ('rejected', 'cancelled'))
        """

    /// Steps by their rows in the journal.
    public func steps(_ ids: [Int64]) throws(MailStoreError) -> [Int64: Step] {
        try file.reading { db in
            let statement = try db.cachedStatement(sql: "SELECT \(StepRow.columns) FROM step WHERE id = ?")
            var steps: [Int64: Step] = [:]
            for id in ids {
                guard let row = try Row.fetchOne(statement, arguments: [id]) else { continue }
                steps[id] = try StepRow.step(row)
            }
            return steps
        }
    }

    /// The confirmed steps after this row by which opus noted mail in the file of a task, or restored it, newest first.
    public func notes(of todo: TodoID, after row: Int64) throws(MailStoreError) -> [Step] {
        try file.reading { db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT \(StepRow.columns) FROM step
                    WHERE step.id > ? AND verb IN ('updateTodo', 'restoreTodo') AND state = 'confirmed'
                        AND (step.cause IN ('reply', 'undo') OR step.cause = 'hand' AND step.rule = ?)
                    ORDER BY step.id DESC
                    """, arguments: [row, Step.Cause.nudgeNote.name])
            var steps: [Step] = []
            while let row = try rows.next() {
                let step = try StepRow.stepWithoutBytes(row)
                switch step.kind {
                case .updateTodo(todo, _), .restoreTodo(todo, path: _, content: _, digest: _):
                    steps.append(try StepRow.step(row))
                case _: continue
                }
            }
            return steps
        }
    }

    /// The steps that saved this file, oldest first. Mails with the same file share it.
    public func savers(of path: String) throws(MailStoreError) -> [FileSaver] {
        try file.reading { db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT step.id, outcome, (
                            SELECT max(inverse.id) FROM step AS inverse
                            WHERE inverse.undoes = step.id AND inverse.state NOT IN ('rejected', 'cancelled')
                                AND NOT EXISTS (
                                    SELECT 1 FROM step AS again WHERE again.undoes = inverse.id
                                        AND again.state NOT IN ('rejected', 'cancelled')))
                    FROM step
                    WHERE verb = 'saveFile' AND state = 'confirmed' AND outcome IS NOT NULL
                    ORDER BY step.id
                    """)
            var savers: [FileSaver] = []
            while let row = try rows.next() {
                let outcome = try StepRecord.outcome(row[1])
                guard outcome.path == path else { continue }
                savers.append(
                    FileSaver(
                        row: row[0], digest: outcome.digest, isMaker: outcome.pathBefore == nil,
                        undoneBy: row[2]))
            }
            return savers
        }
    }
}
