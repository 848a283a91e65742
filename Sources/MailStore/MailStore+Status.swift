import Foundation
import GRDB
public import Models

/// What waits in the journal, and what went wrong lately: for `opus status`.
extension MailStore {
    /// Steps that are open, that need a decision, or that were refused in a run since then; in journal order.
    public func unfinished(
        of account: AccountID, refusedSince since: Timestamp
    ) throws(MailStoreError) -> [JournalEntry] {
        try reading { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT \(StepRow.columnsWithoutBytes), run.id, run.started_at
                    FROM step JOIN run ON run.id = step.run
                    WHERE step.account = (SELECT id FROM account WHERE name = ?1)
                        AND (state IN ('planned', 'ready', 'issued', 'unknown', 'reconciling', 'needsDecision')
                            OR (state = 'rejected' AND run.started_at >= ?2))
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

    /// When the account was last brought up to date: its inbox, or else the mailbox that was looked at last; nil: never.
    public func lastSync(of account: AccountID) throws(MailStoreError) -> Timestamp? {
        try reading { db in
            try Int64.fetchOne(
                db,
                sql: """
                    SELECT synced_at FROM mailbox
                    WHERE account = (SELECT id FROM account WHERE name = ?) AND synced_at IS NOT NULL
                    ORDER BY coalesce(role, '') = 'inbox' DESC, synced_at DESC LIMIT 1
                    """, arguments: [account.rawValue]
            ).map { Timestamp(seconds: $0) }
        }
    }
}
