import Foundation
import GRDB
public import Models

/// Steps that wait in the journal, and recent failures: for `opus status`.
extension RunStore {
    /// Steps that are open or need a decision, steps that were refused in a run since `since`, and refused mail that is still a
    /// draft; in journal order.
    public func unfinished(
        of account: AccountID, refusedSince since: Timestamp
    ) throws(MailStoreError) -> [JournalEntry] {
        try file.reading { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT \(StepRow.columnsWithoutBytes), coalesce(run.part_of, run.id), run.started_at
                    FROM (
                        SELECT id FROM step
                            WHERE account = (SELECT id FROM account WHERE name = ?1)
                                AND state IN ('planned', 'ready', 'issued', 'unknown', 'reconciling')
                        UNION ALL
                        SELECT id FROM step INDEXED BY step_refused
                            WHERE account = (SELECT id FROM account WHERE name = ?1)
                                AND state IN ('needsDecision', 'rejected')
                    ) AS unfinished
                    CROSS JOIN step ON step.id = unfinished.id CROSS JOIN run ON run.id = step.run
                    WHERE step.state <> 'rejected' OR run.started_at >= ?2
                        OR step.id IN (SELECT submission FROM draft WHERE submission IS NOT NULL)
                    ORDER BY step.id
                    """, arguments: [account.rawValue, since.seconds]
            ).map { row in
                JournalEntry(
                    run: RunID(rawValue: row[StepRow.widthWithoutBytes]),
                    queuedAt: Timestamp(seconds: row[StepRow.widthWithoutBytes + 1]),
                    step: try StepRow.stepWithoutBytes(row))
            }
        }
    }
}
