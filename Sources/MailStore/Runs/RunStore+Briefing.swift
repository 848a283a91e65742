import GRDB
public import Models

/// The changes that rules made in one run and that were not undone.
public struct RunByRules: Hashable, Sendable {
    public var id: RunID
    public var account: AccountID
    public var startedAt: Timestamp
    /// Confirmed steps by rule; those that changed nothing do not count.
    public var steps: [String: Int]
}

/// What happened between two times: for the briefing.
extension RunStore {
    /// Runs in which rules changed something, oldest first.
    public func runsByRules(
        from first: Timestamp, to last: Timestamp
    ) throws(MailStoreError) -> [RunByRules] {
        try file.reading { db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT run.id, account.name, started_at, step.rule, count(*)
                    FROM run JOIN account ON account.id = run.account CROSS JOIN step ON step.run = run.id
                    WHERE started_at BETWEEN ?1 AND ?2 AND step.cause = 'rule' AND step.state = 'confirmed'
                        AND coalesce(step.proof, '') NOT IN (SELECT value FROM json_each(?3))
                        AND NOT EXISTS (\(RuleStore.effectiveInverse("step")))
                    GROUP BY run.id, step.rule ORDER BY run.id
                    """,
                arguments: [
                    first.seconds, last.seconds,
                    try JSONList.of(Step.Proof.Kind.ofNoChange.map(\.rawValue)),
                ])
            var runs: [RunByRules] = []
            while let row = try rows.next() {
                let id = RunID(rawValue: row[0])
                if runs.last?.id != id {
                    runs.append(
                        RunByRules(
                            id: id, account: AccountID(row[1]), startedAt: Timestamp(seconds: row[2]),
                            steps: [:]))
                }
                runs[runs.count - 1].steps[row[3]] = row[4]
            }
            return runs
        }
    }

    /// Deferred messages that came back, in the order of their return; at the end those that another store returned, or
    /// this one before it was lost.
    public func returned(from first: Timestamp, to last: Timestamp) throws(MailStoreError) -> [EmailID] {
        try file.reading { db in
            let own = try String.fetchAll(
                db,
                sql: """
                    SELECT step.message FROM step JOIN run ON run.id = step.run
                    WHERE started_at BETWEEN ? AND ? AND step.cause = 'deferral' AND verb = 'move'
                        AND step.state = 'confirmed' AND step.message IS NOT NULL
                    GROUP BY step.message ORDER BY min(step.id)
                    """, arguments: [first.seconds, last.seconds])
            let others = try String.fetchAll(
                db,
                sql: """
                    SELECT email_id FROM rule_deferral CROSS JOIN message ON message.id = rule_deferral.message
                    WHERE rule = ? AND at BETWEEN ? AND ? ORDER BY at, email_id
                    """, arguments: [RememberedMatch.isBack, first.seconds, last.seconds])
            let known = Set(own)
            return (own + others.filter { !known.contains($0) }).map { EmailID(rawValue: $0) }
        }
    }

    /// When the last run of this command before `time` began; nil: never.
    public func lastRun(of command: String, before time: Timestamp) throws(MailStoreError) -> Timestamp? {
        try file.reading { db in
            try Int64.fetchOne(
                db, sql: "SELECT max(started_at) FROM run WHERE command = ? AND started_at < ?",
                arguments: [command, time.seconds]
            ).map { Timestamp(seconds: $0) }
        }
    }

    /// When a rule first changed something in an account; nil: never.
    public func firstByRules(account: AccountID) throws(MailStoreError) -> Timestamp? {
        try file.reading { db in
            try Int64.fetchOne(
                db,
                sql: """
                    SELECT started_at FROM run CROSS JOIN step ON step.run = run.id
                    WHERE run.account = (SELECT id FROM account WHERE name = ?) AND step.cause = 'rule'
                        AND step.state = 'confirmed'
                    ORDER BY run.id LIMIT 1
                    """, arguments: [account.rawValue]
            ).map { Timestamp(seconds: $0) }
        }
    }

    /// Whether a message with that Message-ID was put into a mailbox, or will be, and this was not undone.
    public func hasAppended(_ token: MessageID) throws(MailStoreError) -> Bool {
        try file.reading { db in
            try Int.fetchOne(
                db,
                sql: """
                    SELECT 1 FROM step WHERE token = ? AND verb = 'append' AND state NOT IN ('rejected', 'cancelled')
                        AND NOT EXISTS (SELECT 1 FROM step AS inverse
                            WHERE inverse.undoes = step.id AND inverse.state = 'confirmed')
                    LIMIT 1
                    """, arguments: [token.rawValue]) != nil
        }
    }
}
