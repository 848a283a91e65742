import Foundation
import GRDB
public import Models

/// A message in the mailbox for deferred mail that opus has read or written. See docs/decisions/0016.
public struct DeferredList: Hashable, Sendable {
    /// Its Message-ID.
    public var token: MessageID
    /// SHA-256 of the message in its canonical form.
    public var digest: String
    /// The machine-readable part; nil: opus did not write this message.
    public var content: [UInt8]?

    public init(token: MessageID, digest: String, content: [UInt8]?) {
        self.token = token
        self.digest = digest
        self.content = content
    }
}

/// The lists of deferred messages in the account, as opus last read them.
extension DeferralStore {
    public func lists(account: AccountID) throws(MailStoreError) -> [DeferredList] {
        try file.reading { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT token, digest, content FROM deferred_list
                    WHERE account = (SELECT id FROM account WHERE name = ?) ORDER BY token
                    """, arguments: [account.rawValue]
            ).map { row in
                DeferredList(
                    token: MessageID(row[0]), digest: row[1], content: (row[2] as Data?).map { Array($0) })
            }
        }
    }

    /// Queued steps of lists that may still happen, without those of interrupted runs.
    public func queuedSteps(account: AccountID) throws(MailStoreError) -> [Step] {
        try file.reading { db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT \(StepRow.columns) FROM step
                    WHERE state IN ('planned', 'ready', 'issued', 'unknown', 'reconciling')
                        AND account = (SELECT id FROM account WHERE name = ?)
                        AND NOT (\(Step.Cause.isNotList)) AND NOT (\(JournalStore.isHeld))
                    ORDER BY step.id
                    """, arguments: [account.rawValue])
            return try StepRow.steps(rows)
        }
    }

    /// Notes a list that opus read or wrote.
    public func note(_ list: DeferredList, account: AccountID) throws(MailStoreError) {
        try file.writing { db in
            try db.execute(
                sql:
                    "INSERT OR REPLACE INTO deferred_list (account, token, digest, content) VALUES (?, ?, ?, ?)",
                arguments: [
                    db.requireAccountRow(account), list.token.rawValue, list.digest,
                    list.content.map { Data($0) },
                ])
        }
    }

    /// Forgets the lists that are no longer in the account.
    public func forgetLists(_ tokens: [MessageID], account: AccountID) throws(MailStoreError) {
        guard !tokens.isEmpty else { return }
        try file.writing { db in
            for token in tokens {
                try db.execute(
                    sql: """
                        DELETE FROM deferred_list
                        WHERE account = (SELECT id FROM account WHERE name = ?) AND token = ?
                        """, arguments: [account.rawValue, token.rawValue])
            }
        }
    }

    /// The digest of the header of each message, which is the same in every store.
    public func headerDigests(of messages: [EmailID]) throws(MailStoreError) -> [EmailID: String] {
        try file.reading { db in
            let statement = try db.cachedStatement(
                sql: "SELECT header_digest FROM message WHERE email_id = ?")
            var digests: [EmailID: String] = [:]
            for message in messages {
                guard let digest = try String.fetchOne(statement, arguments: [message.rawValue]),
                    !digest.isEmpty
                else { continue }
                digests[message] = digest
            }
            return digests
        }
    }
}
