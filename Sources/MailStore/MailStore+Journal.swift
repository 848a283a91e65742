/// The action journal: what is to happen, and how far it got.
///
/// `queue` marks facts and queues steps in one transaction; `markIssued` is on disk before it returns, so
/// that after a crash nothing that may have left the machine looks as if it had not.

import Foundation
import GRDB
public import Models

extension MailStore {
    /// Notes a run and queues its steps, each `planned` or `ready`. A step whose key the journal has is not queued again, unless
    /// that one was refused or taken back.
    ///
    /// `steps` are in the order in which they are to happen; `remembered` are matches that may not happen a
    /// second time; a deferral until nil ends the wait; `links` name the mail behind the tasks.
    public func queue(
        _ run: NewRun, steps: [Step], remembered: [(rule: String, message: EmailID)] = [],
        deferrals: [(message: EmailID, until: Timestamp?)] = [],
        links: [(todo: TodoID, message: EmailID, rule: String)] = [],
        autoReplies: [(rule: String, sender: String)] = []
    ) throws(MailStoreError) -> QueuedRun {
        try writing { db in
            let account = try db.requireAccountRow(run.account)
            let id = try Self.insert(db, run, account: account)
            var queued: [Step] = []
            for step in steps {
                if let step = try Self.insert(db, step, run: id, account: account) { queued.append(step) }
            }
            try Self.note(db, run.ruleDigests, of: queued, run: id)
            for match in remembered {
                try db.cachedStatement(
                    sql: "INSERT OR IGNORE INTO remembered (account, rule, message) VALUES (?, ?, ?)"
                ).execute(
                    arguments: [account, Packed.text(match.rule), db.requireMessageRow(match.message)])
            }
            for deferral in deferrals {
                try Self.setDeferral(db, deferral.message, account: account, until: deferral.until)
            }
            for link in links {
                try Self.link(db, todo: link.todo, message: link.message, account: account, rule: link.rule)
            }
            let overlay = Overlay(db: db)
            for message in Set(queued.compactMap(\.message)) { try overlay.refresh(message) }
            for reply in autoReplies {
                try Self.note(db, reply.rule, reply.sender, account: account, at: run.startedAt)
            }
            return QueuedRun(
                id: RunID(rawValue: id), queued: queued, alreadyQueued: steps.count - queued.count)
        }
    }

    private static func insert(_ db: Database, _ run: NewRun, account: Int64) throws -> Int64 {
        try db.cachedStatement(
            sql: """
                INSERT INTO run (account, started_at, command, rules_digest, plan, undoes)
                VALUES (?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            account, run.startedAt.seconds, Packed.text(run.command), run.rulesDigest, Data(run.plan),
            run.undoes?.rawValue,
        ])
        return db.lastInsertedRowID
    }

    /// nil: the journal has it.
    private static func insert(_ db: Database, _ step: Step, run: Int64, account: Int64) throws -> Step? {
        let encoded = try StepRow(step, encoder: JSONEncoder())
        let state = step.state == .planned ? Step.State.planned : .ready
        try db.cachedStatement(
            sql: """
                INSERT INTO step (run, account, idempotency_key, message, rule, kind, payload, state, due_at,
                    undoes)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (idempotency_key) WHERE state NOT IN ('rejected', 'cancelled') DO NOTHING
                """
        ).execute(arguments: [
            run, account, step.idempotencyKey + (SeededBug.noIdempotencyKey.isOn ? UUID().uuidString : ""),
            step.message?.rawValue, Packed.text(step.rule), encoded.kind,
            encoded.payload, state.rawValue, step.dueAt?.seconds, step.undoes,
        ])
        guard db.changesCount > 0 else { return nil }
        var queued = step
        queued.id = db.lastInsertedRowID
        queued.state = state
        queued.attempts = 0
        queued.error = nil
        queued.evidence = nil
        return queued
    }

    /// Steps that may still happen, in journal order; those that are only `planned` among them.
    public func openSteps(of account: AccountID) throws(MailStoreError) -> [Step] {
        try reading { db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT \(StepRow.columns) FROM step
                    WHERE state IN ('planned', 'ready', 'issued', 'unknown', 'reconciling')
                        AND account = (SELECT id FROM account WHERE name = ?)
                    ORDER BY step.id
                    """, arguments: [account.rawValue])
            return try Self.steps(rows)
        }
    }

    static func steps(_ rows: RowCursor) throws -> [Step] {
        let decoder = JSONDecoder()
        var steps: [Step] = []
        while let row = try rows.next() { steps.append(try StepRow.step(row, decoder: decoder)) }
        return steps
    }

    /// Call before the first byte leaves: the mark is on disk when this returns.
    ///
    /// `outcomes` is what was seen right before, by the step's id: it replaces what the journal had. Throws, and marks
    /// none, when one of the steps is neither ready nor being reconciled.
    public func markIssued(
        _ ids: [Int64], at now: Timestamp? = nil, outcomes: [Int64: StepOutcome] = [:]
    ) throws(MailStoreError) {
        try writing { db in
            let statement = try db.cachedStatement(
                sql: """
                    UPDATE step SET state = 'issued', attempts = attempts + 1, issued_at = ?2, due_at = NULL,
                        tried_since = coalesce(tried_since, ?2), outcome = coalesce(?3, outcome)
                    WHERE id = ?1 AND state IN ('ready', 'reconciling')
                    """)
            let encoder = JSONEncoder()
            for id in ids {
                try statement.execute(
                    arguments: [id, now?.seconds, try outcomes[id].map { try encoder.encode($0) }])
                guard db.changesCount > 0 else { throw MailStoreError.stepNotReady(id: id) }
            }
        }
    }

    /// Notes how steps went, and what a confirmed one did to our picture of the mailbox.
    ///
    /// All or none: throws ``MailStoreError/noSuchTransition(id:from:to:)`` for a way that the state machine does not have.
    public func resolve(_ results: [StepResult]) throws(MailStoreError) {
        try writing { db in
            let writer = ResultWriter(db: db)
            for result in results { try writer.write(result) }
        }
    }

    /// Call once at the start: what was issued, or being looked at, when the process ended has an unknown fate.
    ///
    /// - Returns: how many those are; more than none is a crash.
    public func recoverIssued(of account: AccountID) throws(MailStoreError) -> Int {
        try writing { db in
            try Self.turn(db, account, from: ["issued", "reconciling"], to: "unknown")
        }
    }

    /// Call before the account is asked what became of unknown steps.
    public func beginReconciling(of account: AccountID) throws(MailStoreError) {
        try writing { db in _ = try Self.turn(db, account, from: ["unknown"], to: "reconciling") }
    }

    /// Call at the end: what nobody could tell is unknown again.
    public func endReconciling(of account: AccountID) throws(MailStoreError) {
        try writing { db in _ = try Self.turn(db, account, from: ["reconciling"], to: "unknown") }
    }

    private static func turn(
        _ db: Database, _ account: AccountID, from states: [String], to state: String
    ) throws -> Int {
        // The condition on all open states lets SQLite use their index.
        try db.cachedStatement(
            sql: """
                UPDATE step SET state = ?1
                WHERE state IN (SELECT value FROM json_each(?2))
                    AND state IN ('planned', 'ready', 'issued', 'unknown', 'reconciling')
                    AND account = (SELECT id FROM account WHERE name = ?3)
                """
        ).execute(arguments: [state, try JSONList.of(states), account.rawValue])
        return db.changesCount
    }
}
