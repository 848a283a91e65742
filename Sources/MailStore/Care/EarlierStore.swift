import Foundation
import GRDB
import Models

/// What a rebuild takes from the old store: the row numbers and ids of its messages, and the numbers of
/// Maildir files. A message that is read again gets its old numbers, so everything that refers to it stays
/// valid.
struct EarlierStore {
    static let tables = """
        -- The accounts that are read again.
        CREATE TABLE earlier_account (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
        CREATE TABLE earlier_message (
            id INTEGER PRIMARY KEY,
            account INTEGER NOT NULL,
            email_id TEXT NOT NULL UNIQUE,
            fingerprint TEXT NOT NULL,
            header_digest TEXT NOT NULL,
            body_digest TEXT,
            UNIQUE (account, fingerprint)
        ) STRICT;
        CREATE INDEX earlier_header ON earlier_message(account, header_digest);
        CREATE TABLE earlier_place (
            mailbox INTEGER NOT NULL,
            remote_name TEXT NOT NULL,
            uid INTEGER NOT NULL,
            PRIMARY KEY (mailbox, remote_name)
        ) STRICT, WITHOUT ROWID;

        """

    let db: Database

    /// nil in the usual case: the store is not being rebuilt.
    init?(_ db: Database) throws {
        guard try db.tableExists("earlier_message") else { return nil }
        self.db = db
    }

    /// The id that the content had in the old store.
    func id(fingerprint: String, header: String, body: BodyDigest?, account: Int64) throws -> String? {
        let exact = try db.cachedStatement(
            sql: "SELECT email_id FROM earlier_message WHERE account = ? AND fingerprint = ?")
        if let id = try String.fetchOne(exact, arguments: [account, fingerprint]) { return id }
        // An older version computed the fingerprint differently, or opus has read more of the message this
        // time.
        let alike = try db.cachedStatement(
            sql: """
                SELECT email_id FROM earlier_message
                WHERE account = ?1 AND header_digest = ?2 AND (body_digest IS NULL OR body_digest = ?3)
                    AND NOT EXISTS (SELECT 1 FROM message WHERE message.id = earlier_message.id)
                ORDER BY id LIMIT 1
                """)
        return try String.fetchOne(alike, arguments: [account, header, body?.packed])
    }

    func fingerprint(of id: EmailID) throws -> String? {
        let statement = try db.cachedStatement(
            sql: "SELECT fingerprint FROM earlier_message WHERE email_id = ?")
        return try String.fetchOne(statement, arguments: [id.rawValue])
    }

    /// The row number for a message: its old one, or a number that the old store did not use.
    func number(of id: EmailID) throws -> Int64 {
        let statement = try db.cachedStatement(
            sql: """
                SELECT coalesce((SELECT id FROM earlier_message WHERE email_id = ?), 1 + max(
                    coalesce((SELECT max(id) FROM earlier_message), 0),
                    coalesce((SELECT max(id) FROM message), 0)))
                """)
        return try Int64.fetchOne(statement, arguments: [id.rawValue]) ?? 1
    }

    func uid(of name: String, mailbox: Int64) throws -> Int64? {
        let statement = try db.cachedStatement(
            sql: "SELECT uid FROM earlier_place WHERE mailbox = ? AND remote_name = ?")
        return try Int64.fetchOne(statement, arguments: [mailbox, name])
    }
}
