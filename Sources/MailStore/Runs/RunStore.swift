import Foundation
import GRDB
public import Models

/// What was done: the runs and their steps, for `opus log` and `opus show`.
public struct RunStore: Sendable {
    let file: StoreFile

    /// The latest first.
    public func runs(limit: Int) throws(MailStoreError) -> [RunSummary] {
        try file.reading { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT \(Self.runColumns) FROM run JOIN account ON account.id = run.account
                    ORDER BY run.id DESC LIMIT ?
                    """, arguments: [max(0, limit)])
            return try rows.map { try Self.summary(db, $0) }
        }
    }

    public func run(_ id: RunID) throws(MailStoreError) -> RunDetail? {
        try file.reading { db in
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT \(Self.runColumns) FROM run JOIN account ON account.id = run.account
                    WHERE run.id = ?
                    """, arguments: [id.rawValue])
            guard let row else { return nil }
            let steps = try Row.fetchCursor(
                db, sql: "SELECT \(StepRow.columns) FROM step WHERE run = ? ORDER BY id",
                arguments: [id.rawValue])
            return RunDetail(summary: try Self.summary(db, row), steps: try StepRow.steps(steps))
        }
    }

    /// Every step on that message, the latest first.
    public func runsMentioning(
        _ message: EmailID
    ) throws(MailStoreError) -> [(run: RunID, step: Step)] {
        try file.reading { db in
            return try Row.fetchAll(
                db,
                sql: """
                    SELECT \(StepRow.columns), run FROM step WHERE message = ? ORDER BY id DESC
                    """, arguments: [message.rawValue]
            ).map { (run: RunID(rawValue: $0[StepRow.width]), step: try StepRow.step($0)) }
        }
    }

    private static let runColumns = "run.id, account.name, started_at, command, origin, rules_digest, undoes"

    private static func summary(_ db: Database, _ row: Row) throws -> RunSummary {
        let statement = try db.cachedStatement(
            sql: """
                SELECT state, count(*) FROM step WHERE run = ? AND \(Step.Cause.isNotList) GROUP BY state
                """)
        var states: [Step.State: Int] = [:]
        let counts = try Row.fetchCursor(statement, arguments: [row[0] as Int64])
        while let count = try counts.next() {
            if let state = Step.State(rawValue: count[0]) { states[state] = count[1] }
        }
        return RunSummary(
            id: RunID(rawValue: row[0]), account: AccountID(row[1]), startedAt: Timestamp(seconds: row[2]),
            command: row[3], origin: Plan.Origin(column: row[4], rulesDigest: row[5]),
            undoes: (row[6] as Int64?).map { RunID(rawValue: $0) }, states: states)
    }
}
