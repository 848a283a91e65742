import Foundation
import GRDB
public import Models

/// The journal's history: runs and their steps, for `opus runs` and `opus show`.
///
/// A run, as the user sees it, is everything that one command did. The journal may split it into several
/// parts, one for each account and stage. All parts refer to the first one, whose id is the run's id.
public struct RunStore: Sendable {
    let file: StoreFile

    /// The latest first.
    public func runs(limit: Int) throws(MailStoreError) -> [RunSummary] {
        try file.reading { db in
            let ids = try Int64.fetchAll(
                db, sql: "SELECT id FROM run WHERE part_of IS NULL ORDER BY id DESC LIMIT ?",
                arguments: [max(0, limit)])
            return try ids.compactMap { try Self.summary(db, Self.rows(db, of: $0)) }
        }
    }

    /// The number of the last run or part of a run; 0: the journal is empty.
    public func lastNumber() throws(MailStoreError) -> Int64 {
        try file.reading { db in try Int64.fetchOne(db, sql: "SELECT max(id) FROM run") ?? 0 }
    }

    /// The whole run. `id` may be that of a part.
    public func run(_ id: RunID) throws(MailStoreError) -> RunDetail? { try run(id, only: nil) }

    /// The run with only these parts, as if it had no others: a session may have thousands. nil: all parts.
    public func run(_ id: RunID, only parts: [RunID]?) throws(MailStoreError) -> RunDetail? {
        try file.reading { db in
            guard
                let first = try Int64.fetchOne(
                    db, sql: "SELECT coalesce(part_of, id) FROM run WHERE id = ?", arguments: [id.rawValue])
            else { return nil }
            let rows = try parts.map { try Self.rows(db, of: first, only: $0) } ?? Self.rows(db, of: first)
            return try Self.detail(db, rows, run: first)
        }
    }

    /// The run that this one is part of, or the run itself; nil: the run does not exist.
    public func wholeRun(of id: RunID) throws(MailStoreError) -> RunID? {
        try file.reading { db in
            try Int64.fetchOne(
                db, sql: "SELECT coalesce(part_of, id) FROM run WHERE id = ?", arguments: [id.rawValue])
        }.map { RunID(rawValue: $0) }
    }

    /// The whole run that a step belongs to.
    public func run(ofStep step: Int64) throws(MailStoreError) -> RunID? {
        try file.reading { db in
            try Int64.fetchOne(
                db,
                sql: """
                    SELECT coalesce(run.part_of, run.id) FROM step JOIN run ON run.id = step.run WHERE step.id = ?
                    """, arguments: [step])
        }.map { RunID(rawValue: $0) }
    }

    /// Every step on that message, the latest first, each with its part of the run.
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

    // MARK: Rows

    private static let runColumns = """
        run.id, account.name, started_at, command, origin, rules_digest, undoes
            FROM run JOIN account ON account.id = run.account WHERE true
        """

    /// The first run and its parts, in the order of the journal.
    private static func rows(_ db: Database, of first: Int64) throws -> [Row] {
        try Row.fetchAll(
            db.cachedStatement(
                sql: "SELECT \(runColumns) AND (run.id = ?1 OR run.part_of = ?1) ORDER BY run.id"),
            arguments: [first])
    }

    private static func rows(_ db: Database, of first: Int64, only parts: [RunID]) throws -> [Row] {
        let statement = try db.cachedStatement(
            sql: "SELECT \(runColumns) AND run.id = ?2 AND (run.id = ?1 OR run.part_of = ?1)")
        return try Set(parts.map(\.rawValue)).sorted().compactMap {
            try Row.fetchOne(statement, arguments: [first, $0])
        }
    }

    /// `run`: the first part, which gives the run its id.
    private static func detail(_ db: Database, _ rows: [Row], run: Int64) throws -> RunDetail? {
        guard var summary = try summary(db, rows) else { return nil }
        summary.id = RunID(rawValue: run)
        let parts = try rows.map { row in
            let steps = try Row.fetchCursor(
                db, sql: "SELECT \(StepRow.columns) FROM step WHERE run = ? ORDER BY id",
                arguments: [row[0] as Int64])
            return RunPart(
                id: RunID(rawValue: row[0]), account: AccountID(row[1]), steps: try StepRow.steps(steps))
        }
        return RunDetail(summary: summary, parts: parts)
    }

    private static func summary(_ db: Database, _ rows: [Row]) throws -> RunSummary? {
        guard let first = rows.first else { return nil }
        let statement = try db.cachedStatement(
            sql: """
                SELECT state, count(*) FROM step WHERE run = ? AND \(Step.Cause.isNotList) GROUP BY state
                """)
        var states: [Step.State: Int] = [:]
        var accounts: [AccountID] = []
        for row in rows {
            let account = AccountID(row[1])
            if !accounts.contains(account) { accounts.append(account) }
            let counts = try Row.fetchCursor(statement, arguments: [row[0] as Int64])
            while let count = try counts.next() {
                if let state = Step.State(rawValue: count[0]) { states[state, default: 0] += count[1] as Int }
            }
        }
        // A run may undo an earlier run in the middle. That does not make the whole run an undo.
        let undoes = rows.map { $0[6] as Int64? }
        let ruled = rows.first { ($0[4] as String) == "rules" } ?? first
        return RunSummary(
            id: RunID(rawValue: first[0]), accounts: accounts, startedAt: Timestamp(seconds: first[2]),
            command: (rows.first { ($0[6] as Int64?) == nil } ?? first)[3],
            origin: Plan.Origin(column: ruled[4], rulesDigest: ruled[5]),
            undoes: undoes.contains(nil) ? nil : undoes.first?.map { RunID(rawValue: $0) }, states: states)
    }
}
