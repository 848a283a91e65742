import GRDB
public import Models

/// The action journal: planned changes and their progress.
///
/// `queue` writes the steps and the facts that belong to them, such as deferrals and links, in one
/// transaction. `markIssued` is on disk before it returns, so after a crash the journal shows every step that
/// may have reached a server.
public struct JournalStore: Sendable {
    let file: StoreFile

    /// Notes a run and queues its steps, each `planned` or `ready`. A step whose key is already in the
    /// journal is not queued again, unless the earlier step was refused, cancelled or undone.
    public func queue(_ run: NewRun, _ work: QueuedWork) throws(MailStoreError) -> QueuedRun {
        try file.writing { db in
            let account = try db.requireAccountRow(run.account)
            let id = try Self.insert(db, run, account: account)
            let queued = try Self.insert(db, work.steps, run: id, account: account)
            try RuleStore.note(db, run.ruleDigests, of: queued, run: id)
            try RuleStore.note(db, shadowed: run.shadowed, run: id)
            try RuleStore.note(db, run.hits, account: account, at: run.startedAt)
            try Self.remember(db, work.remembered, account: account)
            try DeferralStore.noteEnd(db, of: queued)
            for deferral in work.deferrals {
                try DeferralStore.set(
                    db, deferral.message, account: account, until: deferral.until, at: run.startedAt)
            }
            let deferred = Set(work.deferrals.filter { $0.until != nil }.map(\.message))
            try DeferralStore.note(
                db, work.remembered.filter { deferred.contains($0.message) } + work.returns, account: account,
                at: run.startedAt)
            for link in work.links {
                try TodoStore.link(
                    db, todo: link.todo, message: link.message, account: account, rule: link.rule)
            }
            try TodoStore.note(db, work.notices)
            try Overlay(db: db).refresh(Array(Set(queued.compactMap(\.message))))
            for reply in work.autoReplies {
                try RuleStore.note(db, reply.rule, reply.sender, account: account, at: run.startedAt)
            }
            var result = QueuedRun(
                id: RunID(rawValue: id), queued: queued, alreadyQueued: work.steps.count - queued.count)
            if queued.isEmpty, result.alreadyQueued > 0, run.origin.rulesDigest == nil, run.hits.isEmpty {
                try db.execute(sql: "DELETE FROM run WHERE id = ?", arguments: [id])
                result.isKept = false
            }
            return result
        }
    }

    public func queue(_ run: NewRun, steps: [Step]) throws(MailStoreError) -> QueuedRun {
        try queue(run, QueuedWork(steps: steps))
    }

    private static func insert(_ db: Database, _ run: NewRun, account: Int64) throws -> Int64 {
        try db.cachedStatement(
            sql: """
                INSERT INTO run (account, started_at, command, origin, rules_digest, undoes, part_of, asks, progress)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            account, run.startedAt.seconds, Packed.text(run.command), run.origin.column,
            run.origin.rulesDigest ?? "",
            run.undoes?.rawValue, run.partOf?.rawValue, run.asksWhenInterrupted,
            (run.asksWhenInterrupted ? RunProgress.going : .ended).rawValue,
        ])
        return db.lastInsertedRowID
    }

    /// - Returns: the steps that were not in the journal yet, as they are stored.
    private static func insert(
        _ db: Database, _ steps: [Step], run: Int64, account: Int64
    ) throws -> [Step] {
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO step (run, account, idempotency_key, message, cause, rule, verb, token, kind, payload,
                    state, due_at, undoes)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (idempotency_key) WHERE state NOT IN ('rejected', 'cancelled') DO NOTHING
                """)
        var queued: [Step] = []
        for var step in steps {
            let row = try StepRow(step)
            step.state = step.state == .planned ? .planned : .ready
            var isQueued = false
            repeat {
                try statement.execute(arguments: [
                    run, account, step.idempotencyKey, step.message?.rawValue, row.cause,
                    Packed.text(row.rule),
                    row.verb, row.token.map(Packed.text), row.kind, row.payload, step.state.rawValue,
                    step.dueAt?.seconds, step.undoes,
                ])
                isQueued = db.changesCount > 0
                guard !isQueued, let undo = try undo(db, of: step.idempotencyKey) else { break }
                // The earlier step was done and undone, so this one is a new request and needs its own key.
                step.idempotencyKey += " after \(undo)"
            } while true
            guard isQueued else { continue }
            step.id = db.lastInsertedRowID
            step.attempts = 0
            step.error = nil
            step.hold = nil
            step.proof = nil
            queued.append(step)
        }
        return queued
    }

    /// The step that undid what the rule did to the message, in the run of the step with this key; nil: it
    /// was not undone. The step itself may have no inverse, for example if its result was already gone before
    /// the undo.
    private static func undo(_ db: Database, of key: String) throws -> Int64? {
        try Int64.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT max(inverse.id) FROM step
                        JOIN step AS beside ON beside.run = step.run AND beside.cause = step.cause
                            AND beside.rule = step.rule
                            AND (beside.message = step.message OR beside.id = step.id)
                        JOIN step AS inverse ON inverse.undoes = beside.id
                    WHERE step.idempotency_key = ? AND step.state NOT IN ('rejected', 'cancelled')
                        AND inverse.state = 'confirmed' AND NOT EXISTS (
                            SELECT 1 FROM step AS again WHERE again.undoes = inverse.id
                                AND again.state NOT IN ('rejected', 'cancelled'))
                    """), arguments: [key])
    }

    static func remember(
        _ db: Database, _ matches: [RememberedMatch], account: Int64
    ) throws {
        let statement = try db.cachedStatement(
            sql: "INSERT OR IGNORE INTO remembered (account, rule, message) VALUES (?, ?, ?)")
        for match in matches {
            try statement.execute(
                arguments: [account, Packed.text(match.rule), db.requireMessageRow(match.message)])
        }
    }

    /// Steps that may still happen, in journal order, including those that are only `planned`.
    public func openSteps(of account: AccountID) throws(MailStoreError) -> [Step] {
        try file.reading { db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT \(StepRow.columns) FROM step
                    WHERE state IN ('planned', 'ready', 'issued', 'unknown', 'reconciling')
                        AND account = (SELECT id FROM account WHERE name = ?)
                    ORDER BY step.id
                    """, arguments: [account.rawValue])
            return try StepRow.steps(rows)
        }
    }

    /// The messages that a command with this verb moved, or will move.
    public func messages(_ ids: [EmailID], movedBy verb: String) throws(MailStoreError) -> Set<EmailID> {
        guard !ids.isEmpty else { return [] }
        return try file.reading { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT EXISTS (SELECT 1 FROM step WHERE message = ? AND cause = 'hand' AND rule = ?
                        AND verb = 'move' AND state NOT IN ('rejected', 'cancelled'))
                    """)
            var found: Set<EmailID> = []
            for id in ids where try Bool.fetchOne(statement, arguments: [id.rawValue, verb]) == true {
                found.insert(id)
            }
            return found
        }
    }

    /// Whether an open step is due (``Step/isDue(at:)``). A `planned` step waits until the user confirms it.
    public func hasDueSteps(of account: AccountID, at now: Timestamp) throws(MailStoreError) -> Bool {
        try file.reading { db in
            try Int.fetchOne(
                db,
                sql: """
                    SELECT 1 FROM step
                    WHERE state IN ('planned', 'ready', 'issued', 'unknown', 'reconciling') AND state <> 'planned'
                        AND account = (SELECT id FROM account WHERE name = ?1)
                        AND (due_at IS NULL OR due_at <= ?2 OR due_at > ?2 + ?3) AND NOT (\(Self.isHeld))
                    LIMIT 1
                    """, arguments: [account.rawValue, now.seconds, Step.longestWait]) != nil
        }
    }

    /// Whether an open step of any account has a due time.
    public func hasLaterSteps() throws(MailStoreError) -> Bool {
        try file.reading { db in
            try Int.fetchOne(
                db,
                sql: """
                    SELECT 1 FROM step
                    WHERE state IN ('planned', 'ready', 'issued', 'unknown', 'reconciling') AND due_at IS NOT NULL
                    LIMIT 1
                    """) != nil
        }
    }

    /// The messages that open steps are about.
    public func messagesWithOpenSteps(of account: AccountID) throws(MailStoreError) -> Set<EmailID> {
        try file.reading { db in
            let messages = try String.fetchAll(
                db,
                sql: """
                    SELECT DISTINCT message FROM step
                    WHERE state IN ('planned', 'ready', 'issued', 'unknown', 'reconciling') AND message IS NOT NULL
                        AND account = (SELECT id FROM account WHERE name = ?)
                    """, arguments: [account.rawValue])
            return Set(messages.map { EmailID(rawValue: $0) })
        }
    }

    /// Call before the first byte leaves: the mark is on disk when this returns.
    ///
    /// `outcomes` has what opus saw immediately before, by step id. It replaces the outcome in the journal.
    /// If a step is neither ready nor being reconciled, the call throws and marks none of them.
    public func markIssued(
        _ ids: [Int64], at now: Timestamp? = nil, outcomes: [Int64: StepOutcome] = [:]
    ) throws(MailStoreError) {
        try file.writing { db in
            let statement = try db.cachedStatement(
                sql: """
                    UPDATE step SET state = 'issued', attempts = attempts + 1, issued_at = ?2, due_at = NULL,
                        tried_since = coalesce(tried_since, ?2), outcome = coalesce(?3, outcome)
                    WHERE id = ?1 AND state IN ('ready', 'reconciling')
                    """)
            for id in ids {
                try statement.execute(arguments: [id, now?.seconds, outcomes[id].map(StepRecord.encode)])
                guard db.changesCount > 0 else { throw MailStoreError.stepNotReady(id: id) }
            }
        }
    }

    /// Notes the results of steps, and applies the confirmed ones to the stored mailboxes.
    ///
    /// All or none: throws ``MailStoreError/noSuchTransition(id:from:to:)`` if the state machine does not
    /// allow a transition.
    public func resolve(_ results: [StepResult]) throws(MailStoreError) {
        try file.writing { db in
            try ResultWriter(db: db).write(results)
        }
    }

    /// Call once at the start. Steps that were issued or being reconciled when the last process ended become
    /// unknown.
    ///
    /// - Returns: how many steps became unknown. If there are any, the process crashed.
    public func recoverIssued(of account: AccountID) throws(MailStoreError) -> Int {
        try file.writing { db in
            try Self.turn(db, account, from: ["issued", "reconciling"], to: "unknown")
        }
    }

    /// Call before opus checks in the account which unknown steps happened.
    public func beginReconciling(of account: AccountID) throws(MailStoreError) {
        try file.writing { db in _ = try Self.turn(db, account, from: ["unknown"], to: "reconciling") }
    }

    static func turn(
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
