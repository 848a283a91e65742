// Runs that did not come to their end: nothing more of them happens before a person says so.

import Foundation
import GRDB
public import Models

/// How far a run came.
enum RunProgress: String {
    /// A process works on its steps; when none does, it was interrupted.
    case going
    /// What is left of it waits for its time, or for the account.
    case ended
    /// It was interrupted, and nothing of the rest happens before a person says so.
    case held
}

/// A run that was interrupted, and what is left of it.
public struct InterruptedRun: Hashable, Sendable {
    /// The part of it that was interrupted.
    public var part: RunID
    public var run: RunSummary
    /// Open steps of that part, in journal order.
    public var steps: [Step]
}

extension JournalStore {
    /// Call before the journal is drained, by the only process that may. Runs that another process left in the middle are
    /// held; mail of theirs that is to be sent waits for its own answer, as after any crash.
    ///
    /// `running` is the run whose steps were queued just now.
    public func beginDraining(
        of account: AccountID, running: RunID?
    ) throws(MailStoreError) {
        try file.writing { db in
            guard let id = try db.accountRow(account) else { return }
            try db.execute(
                sql: """
                    UPDATE run SET progress = 'held'
                    WHERE account = ?1 AND progress = 'going' AND progress <> 'ended' AND id IS NOT ?2
                    """, arguments: [id, running?.rawValue])
            if db.changesCount > 0 {
                try db.execute(
                    sql: """
                        UPDATE step SET state = 'planned', error = NULL, hold = 'crash', due_at = NULL
                        WHERE state = 'ready' AND verb = 'submit'
                            AND run IN (SELECT id FROM run
                                WHERE account = ? AND progress = 'held' AND progress <> 'ended')
                        """, arguments: [id])
            }
            // What an earlier run left is worked on as well, and may be interrupted now.
            try db.execute(
                sql: """
                    UPDATE run SET progress = 'going' WHERE progress = 'ended' AND asks AND id IN (
                        SELECT run FROM step
                        WHERE state IN ('planned', 'ready', 'issued', 'unknown', 'reconciling')
                            AND step.account = ?1)
                    """, arguments: [id])
        }
    }

    /// Call when a drain came to its end, whatever became of the steps.
    ///
    /// Steps whose result opus could not find out are unknown again. `halt`: why the rest was not tried.
    public func endDraining(of account: AccountID, halt: QueueHalt? = nil) throws(MailStoreError) {
        try file.writing { db in
            _ = try Self.turn(db, account, from: ["reconciling"], to: "unknown")
            try Self.note(halt, of: account, in: db)
            try db.execute(
                sql: """
                    UPDATE run SET progress = 'ended' WHERE progress = 'going' AND progress <> 'ended'
                        AND account = (SELECT id FROM account WHERE name = ?)
                    """, arguments: [account.rawValue])
        }
    }

    /// The open steps of runs that were interrupted. Mail that is to be sent, and its copy, are the outbox's.
    public func heldSteps(of account: AccountID) throws(MailStoreError) -> Set<Int64> {
        try file.reading { db in
            Set(
                try Int64.fetchAll(
                    db,
                    sql: """
                        SELECT id FROM step
                        WHERE state IN ('planned', 'ready', 'issued', 'unknown', 'reconciling')
                            AND account = (SELECT id FROM account WHERE name = ?) AND \(Self.isHeld)
                        """, arguments: [account.rawValue]))
        }
    }

    /// Only a condition that is written like that of the index `run_progress` finds a run through it.
    static let isHeld = """
        run IN (SELECT id FROM run WHERE progress = 'held' AND progress <> 'ended') AND (token IS NULL OR token NOT IN (
            SELECT token FROM step AS sent WHERE sent.run = step.run AND sent.verb = 'submit'))
        """

    /// Runs in whose middle the process ended, with steps left. Call only while nothing is being drained.
    public func interruptedRuns(of account: AccountID) throws(MailStoreError) -> [InterruptedRun] {
        let ids = try file.reading { db in
            try Int64.fetchAll(
                db,
                sql: """
                    SELECT id FROM run
                    WHERE progress <> 'ended' AND account = (SELECT id FROM account WHERE name = ?)
                    ORDER BY id
                    """, arguments: [account.rawValue])
        }
        var runs: [InterruptedRun] = []
        for id in ids {
            guard let detail = try RunStore(file: file).run(RunID(rawValue: id)) else { continue }
            let part = RunID(rawValue: id)
            let open = detail.parts.first { $0.id == part }?.steps.filter(\.state.isOpen) ?? []
            if !open.isEmpty {
                runs.append(InterruptedRun(part: part, run: detail.summary, steps: open))
            }
        }
        return runs
    }

    /// A person wants the rest of these runs.
    public func release(_ runs: [RunID]) throws(MailStoreError) {
        try file.writing { db in
            for run in runs {
                try db.execute(
                    sql: "UPDATE run SET progress = 'ended' WHERE id = ?", arguments: [run.rawValue])
            }
        }
    }
}
