// Runs that were interrupted: opus does not continue them until the user confirms it.

import Foundation
import GRDB
public import Models

/// The progress of a run.
enum RunProgress: String {
    /// A process is working on its steps. If no process is running, the run was interrupted.
    case going
    /// Its remaining steps wait for their due time, or for the account.
    case ended
    /// It was interrupted, and opus does nothing more until the user confirms it.
    case held
}

/// A run that was interrupted, and its remaining steps.
public struct InterruptedRun: Hashable, Sendable {
    /// The part that was interrupted.
    public var part: RunID
    public var run: RunSummary
    /// Open steps of that part, in journal order.
    public var steps: [Step]
}

extension JournalStore {
    /// Call before the journal is drained, in the only process that may drain it. Runs that another process
    /// left unfinished are held; each unsent mail of theirs needs its own confirmation, as after any crash.
    ///
    /// `running` is the run whose steps were just queued.
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
            // The remaining steps of an earlier run are drained as well, and may be interrupted now.
            try db.execute(
                sql: """
                    UPDATE run SET progress = 'going' WHERE progress = 'ended' AND asks AND id IN (
                        SELECT run FROM step
                        WHERE state IN ('planned', 'ready', 'issued', 'unknown', 'reconciling')
                            AND step.account = ?1)
                    """, arguments: [id])
        }
    }

    /// Call when a drain has ended, whatever happened to its steps.
    ///
    /// Steps whose result opus could not determine are unknown again. `halt`: why the remaining steps were not
    /// tried.
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

    /// The open steps of interrupted runs. Mail to be sent and its copy are left out: they belong to the
    /// outbox.
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

    /// SQLite uses the index `run_progress` only for a condition that is written like the one in the index.
    static let isHeld = """
        run IN (SELECT id FROM run WHERE progress = 'held' AND progress <> 'ended') AND (token IS NULL OR token NOT IN (
            SELECT token FROM step AS sent WHERE sent.run = step.run AND sent.verb = 'submit'))
        """

    /// Interrupted runs with open steps. Call only while the journal is not being drained.
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

    /// Continues these runs: the user has confirmed it.
    public func release(_ runs: [RunID]) throws(MailStoreError) {
        try file.writing { db in
            for run in runs {
                try db.execute(
                    sql: "UPDATE run SET progress = 'ended' WHERE id = ?", arguments: [run.rawValue])
            }
        }
    }
}
