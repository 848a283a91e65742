import GRDB
public import Models

/// Moves of rules that have not happened yet.
extension RuleStore {
    /// The moves that rules requested and that wait for their turn, with their runs, in journal order.
    public func waitingMoves(
        of account: AccountID
    ) throws(MailStoreError) -> [(run: RunID, step: Step)] {
        try file.reading { db in
            try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT \(StepRow.columns), run FROM step
                        WHERE state IN ('planned', 'ready', 'issued', 'unknown', 'reconciling') AND state = 'ready'
                            AND cause = 'rule' AND verb = 'move'
                            AND account = (SELECT id FROM account WHERE name = ?)
                        ORDER BY step.id
                        """), arguments: [account.rawValue]
            ).map { (run: RunID(rawValue: $0[StepRow.width]), step: try StepRow.step($0)) }
        }
    }

    /// Cancels steps that the rules no longer want, with the later steps of the run that depend on them. The rules
    /// may judge the messages again.
    public func withdraw(_ ids: [Int64]) throws(MailStoreError) {
        try file.writing { db in
            try ResultWriter(db: db).write(
                ids.map { StepResult(id: $0, state: .cancelled, forgetsMatch: true) })
            for id in ids { try JournalStore.cancelFollowers(db, of: id) }
        }
    }
}
