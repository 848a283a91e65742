// Why the last drain stopped before it tried the steps of an account.

import GRDB
public import Models

/// Why the last drain stopped early: the account could not be reached, the connection broke, or the login was refused.
public struct QueueHalt: Hashable, Sendable {
    public var halt: DrainReport.Halt
    /// The message of the server or the system.
    public var reason: String
    public var at: Timestamp

    public init(_ halt: DrainReport.Halt, reason: String, at: Timestamp) {
        (self.halt, self.reason, self.at) = (halt, reason, at)
    }
}

extension JournalStore {
    /// nil: the last drain reached the account.
    public func halt(of account: AccountID) throws(MailStoreError) -> QueueHalt? {
        try file.reading { db in
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT halt, reason, at FROM queue_halt
                    WHERE account = (SELECT id FROM account WHERE name = ?)
                    """, arguments: [account.rawValue])
            guard let row, let halt = DrainReport.Halt(rawValue: row["halt"]) else { return nil }
            return QueueHalt(halt, reason: row["reason"], at: Timestamp(seconds: row["at"]))
        }
    }

    static func note(_ halt: QueueHalt?, of account: AccountID, in db: Database) throws {
        guard let halt else {
            return try db.cachedStatement(
                sql: "DELETE FROM queue_halt WHERE account = (SELECT id FROM account WHERE name = ?)"
            ).execute(arguments: [account.rawValue])
        }
        try db.cachedStatement(
            sql: """
                INSERT INTO queue_halt (account, halt, reason, at)
                SELECT id, ?2, ?3, ?4 FROM account WHERE name = ?1
                ON CONFLICT (account) DO UPDATE SET (halt, reason, at) = (excluded.halt, excluded.reason, excluded.at)
                """
        ).execute(
            arguments: [
                account.rawValue, halt.halt.rawValue, String(halt.reason.prefix(1_000)), halt.at.seconds,
            ])
    }
}
