import Foundation
import GRDB
public import Models

/// What the user decides about steps of the journal: approve, retry, cancel, or settle as done.
extension JournalStore {
    /// Approves planned steps.
    public func approve(_ ids: [Int64]) throws(MailStoreError) { try decide(ids, .ready) }

    /// Cancels steps that have not happened, with the later steps of the run that depend on them.
    public func cancel(_ ids: [Int64]) throws(MailStoreError) {
        try file.writing { db in
            for id in ids {
                try Self.turn(db, id, to: .cancelled)
                try Self.cancelFollowers(db, of: id)
            }
        }
    }

    /// Tries steps again as if for the first time: steps that were refused, given up or only planned, and
    /// steps with an unknown result. The steps that were cancelled with them are queued again too.
    ///
    /// For a submission that may already have been sent, this confirms that opus is to send it again.
    public func retry(_ ids: [Int64]) throws(MailStoreError) { try decide(ids, .ready) }

    /// Records what the user knows about the result of the step. If it happened, the steps that depend on it
    /// continue.
    ///
    /// `withoutCopy`: leaves out the copy in the Sent mailbox, because another program put its own there.
    public func settle(_ id: Int64, as state: Step.State, withoutCopy: Bool = false) throws(MailStoreError) {
        try file.writing { db in
            try ResultWriter(db: db).write([
                StepResult(id: id, state: state, proof: Step.Proof(.userSaid))
            ])
            if state == .confirmed { try Self.bringBackFollowers(db, of: id) }
            if withoutCopy { try Self.cancelFollowers(db, of: id, "later.verb = 'append'") }
        }
    }

    /// Messages that were sent or will be sent, the latest last, whose steps are in one of `states`.
    public func submissions(
        of account: AccountID, in states: Set<Step.State> = Set(Step.State.allCases),
        since: Timestamp? = nil
    ) throws(MailStoreError) -> [Submission] {
        try file.reading { db in
            return try Row.fetchAll(
                db,
                sql: """
                    SELECT \(StepRow.columns), coalesce(run.part_of, run.id), run.started_at
                    FROM step INDEXED BY step_submitted CROSS JOIN run ON run.id = step.run
                    WHERE step.account = (SELECT id FROM account WHERE name = ?1)
                        AND step.state IN (SELECT value FROM json_each(?2))
                        AND step.verb = 'submit' AND (?3 IS NULL OR run.started_at >= ?3)
                    ORDER BY step.id
                    """,
                arguments: [account.rawValue, try JSONList.of(states.map(\.rawValue)), since?.seconds]
            ).map { row in
                Submission(
                    account: account, run: RunID(rawValue: row[StepRow.width]),
                    queuedAt: Timestamp(seconds: row[StepRow.width + 1]),
                    step: try StepRow.step(row))
            }
        }
    }

    /// After a crash, holds unsent mail until the user confirms it.
    ///
    /// - Returns: how many submissions it holds.
    public func holdSubmissions(of account: AccountID) throws(MailStoreError) -> Int {
        try file.writing { db in
            try db.execute(
                sql: """
                    UPDATE step SET state = 'planned', error = NULL, hold = 'crash', due_at = NULL
                    WHERE state = 'ready' AND state IN ('planned', 'ready', 'issued', 'unknown', 'reconciling')
                        AND account = (SELECT id FROM account WHERE name = ?)
                        AND verb = 'submit'
                    """, arguments: [account.rawValue])
            return db.changesCount
        }
    }

    private func decide(_ ids: [Int64], _ state: Step.State) throws(MailStoreError) {
        try file.writing { db in
            for id in ids {
                let before = try Self.turn(db, id, to: state)
                if before != .planned { try Self.bringBackFollowers(db, of: id) }
            }
        }
    }

    /// The number of open steps and of those that need a decision, by the reason.
    public func waiting(of account: AccountID, at now: Timestamp) throws(MailStoreError) -> [StepWait: Int] {
        try file.reading { db in
            let rows = try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT CASE
                                WHEN state = 'needsDecision' THEN 'decision'
                                WHEN state = 'planned' THEN 'confirmation'
                                WHEN state <> 'ready' OR proof = 'lost' THEN 'lost'
                                WHEN attempts > 0 THEN 'failed'
                                WHEN due_at > ?2 THEN 'scheduled'
                                ELSE 'queued' END AS reason, count(*)
                        FROM (
                            SELECT state, proof, attempts, due_at FROM step
                                WHERE account = (SELECT id FROM account WHERE name = ?1)
                                    AND state IN ('planned', 'ready', 'issued', 'unknown', 'reconciling')
                            UNION ALL
                            SELECT state, proof, attempts, due_at FROM step INDEXED BY step_refused
                                WHERE account = (SELECT id FROM account WHERE name = ?1)
                                    AND state IN ('needsDecision', 'rejected') AND state = 'needsDecision'
                        )
                        GROUP BY reason
                        """), arguments: [account.rawValue, now.seconds])
            var counts: [StepWait: Int] = [:]
            for row in rows { if let reason = StepWait(rawValue: row[0]) { counts[reason] = row[1] } }
            return counts
        }
    }

    /// Makes the steps due at which a connection was lost, before the end of their pause. The list of states selects the
    /// index of open steps.
    public func endPausesAfterLosses() throws(MailStoreError) {
        guard try hasLaterSteps() else { return }
        try file.writing { db in
            try db.execute(
                sql: """
                    UPDATE step SET due_at = NULL
                    WHERE state IN ('planned', 'ready', 'issued', 'unknown', 'reconciling')
                        AND (state = 'unknown' OR state = 'ready' AND proof = 'lost') AND due_at IS NOT NULL
                    """)
        }
    }

    /// Sets the state, the attempts and the due time. A step that becomes ready also loses the notes of its last
    /// attempt: hold and error. The proof stays only where a mail with an unknown result is cancelled.
    ///
    /// - Returns: The previous state.
    @discardableResult
    private static func turn(_ db: Database, _ id: Int64, to state: Step.State) throws -> Step.State {
        let row = try Row.fetchOne(db, sql: "SELECT state, message FROM step WHERE id = ?", arguments: [id])
        guard let row, let before = Step.State(rawValue: row[0]) else {
            throw MailStoreError.unknownStep(id: id)
        }
        guard before != state, before.canBecome(state) else {
            throw MailStoreError.noSuchTransition(id: id, from: before, to: state)
        }
        do {
            try db.cachedStatement(
                sql: """
                    UPDATE step SET state = ?2, attempts = 0, due_at = NULL, tried_since = NULL,
                        hold = CASE ?2 WHEN 'ready' THEN NULL ELSE hold END,
                        error = CASE ?2 WHEN 'ready' THEN NULL ELSE error END,
                        proof = CASE WHEN ?2 = 'cancelled' AND state = 'needsDecision' THEN proof END
                    WHERE id = ?1
                    """
            ).execute(arguments: [id, state.rawValue])
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            throw MailStoreError.queuedAgain(id: id)
        }
        if let message = row[1] as String? { try Overlay(db: db).refresh([EmailID(rawValue: message)]) }
        return before
    }

    static func cancelFollowers(_ db: Database, of id: Int64, _ condition: String = "true") throws {
        let followers = try followers(db, of: id, "later.state IN ('planned', 'ready') AND \(condition)")
        try ResultWriter(db: db).write(
            followers.map { StepResult(id: $0, state: .cancelled, hold: .follows) })
    }

    /// A cancelled step is final, so a new step with the same content is queued in its place.
    private static func bringBackFollowers(_ db: Database, of id: Int64) throws {
        let held = try followers(db, of: id, "later.state = 'cancelled' AND later.hold = 'follows'")
        for follower in held {
            try db.cachedStatement(
                sql: """
                    INSERT INTO step (run, account, idempotency_key, message, cause, rule, verb, token, kind,
                        payload, state, undoes)
                    SELECT run, account, idempotency_key, message, cause, rule, verb, token, kind, payload, 'ready',
                        undoes
                    FROM step WHERE id = ?
                    ON CONFLICT (idempotency_key) WHERE state NOT IN ('rejected', 'cancelled') DO NOTHING
                    """
            ).execute(arguments: [follower])
        }
        let message = try String.fetchOne(db, sql: "SELECT message FROM step WHERE id = ?", arguments: [id])
        if let message, !held.isEmpty { try Overlay(db: db).refresh([EmailID(rawValue: message)]) }
    }

    /// Later steps of the same run about the same message: they have the same message id, or the token that a
    /// submission and its copy share.
    private static func followers(_ db: Database, of id: Int64, _ condition: String) throws -> [Int64] {
        try Int64.fetchAll(
            db,
            sql: """
                SELECT later.id FROM step JOIN step AS later ON later.run = step.run AND later.id > step.id
                WHERE step.id = ? AND \(condition)
                    AND (later.message = step.message OR later.token = step.token)
                ORDER BY later.id
                """, arguments: [id])
    }
}
