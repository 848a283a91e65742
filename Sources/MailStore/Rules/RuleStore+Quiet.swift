// Inboxes in which the rules had nothing to do. See ``QuietInboxSchema``: a change of a fact that rules read
// deletes the notes of all accounts.

import GRDB
public import Models

/// A note that the rules had nothing to do in an inbox.
public struct QuietNote: Hashable, Sendable {
    /// Identifies the program, its settings and the rules that judged.
    public var basis: String
    /// The clock of the judgement.
    public var judgedAt: Timestamp
    /// The time at which the rules may decide differently; nil: never.
    public var until: Timestamp?

    public init(basis: String, judgedAt: Timestamp, until: Timestamp?) {
        self.basis = basis
        self.judgedAt = judgedAt
        self.until = until
    }
}

extension RuleStore {
    /// nil: a fact has changed since the last note, or there was none.
    public func quietNote(of account: AccountID) throws(MailStoreError) -> QuietNote? {
        try file.reading { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT basis, judged_at, until FROM quiet_inbox
                    WHERE account = (SELECT id FROM account WHERE name = ?) AND basis IS NOT NULL
                    """)
            return try Row.fetchOne(statement, arguments: [account.rawValue]).map { row in
                QuietNote(
                    basis: row[0], judgedAt: Timestamp(seconds: row[1]), until: row.time(2))
            }
        }
    }

    /// Call before the facts are read. Returns the number of the judgement.
    public func beginJudgement(of account: AccountID, at now: Timestamp) throws(MailStoreError) -> Int64 {
        let number = Int64.random(in: 1...Int64.max)
        try file.writingSoon { db in
            try db.execute(
                sql: """
                    INSERT OR REPLACE INTO quiet_inbox (account, judgement, basis, judged_at, until)
                        VALUES (?, ?, NULL, ?, NULL)
                    """, arguments: [try db.requireAccountRow(account), number, now.seconds])
        }
        return number
    }

    /// Notes that the rules had nothing to do, unless a fact has changed since the judgement began.
    public func note(_ note: QuietNote, of account: AccountID, judgement: Int64) throws(MailStoreError) {
        try file.writingSoon { db in
            try db.execute(
                sql: """
                    UPDATE quiet_inbox SET basis = ?, judged_at = ?, until = ?
                    WHERE account = (SELECT id FROM account WHERE name = ?) AND judgement = ?
                    """,
                arguments: [
                    note.basis, note.judgedAt.seconds, note.until?.seconds, account.rawValue, judgement,
                ])
        }
    }
}
