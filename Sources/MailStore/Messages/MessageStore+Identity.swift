import GRDB
public import Models

/// Finds contents of the account by header, and corrects digests that an older version wrote.
extension MessageStore {
    /// The messages with these headers, oldest first.
    public func contents(
        withHeaders digests: [String], account: AccountID
    ) throws(MailStoreError) -> [String: [KnownContent]] {
        try file.lookingUp { db in
            guard let accountRow = try db.accountRow(account) else { return [:] }
            let statement = try db.cachedStatement(
                sql: """
                    SELECT email_id, body_digest, size, CASE WHEN body_digest IS NULL
                        THEN (SELECT text FROM content WHERE content.message = message.id) END
                    FROM message WHERE account = ? AND header_digest = ? ORDER BY id LIMIT ?
                    """)
            var found: [String: [KnownContent]] = [:]
            for digest in Set(digests) where !digest.isEmpty {
                let rows = try Row.fetchCursor(statement, arguments: [accountRow, digest, Self.mostAlike])
                while let row = try rows.next() {
                    found[digest, default: []].append(
                        KnownContent(
                            id: EmailID(rawValue: row[0]),
                            body: (row[1] as String?).map { BodyDigest(packed: $0) }, size: row[2],
                            text: row[3]))
                }
            }
            return found
        }
    }

    /// The maximum number of messages with the same header that opus compares. A scanner may send this many
    /// in a year.
    private static let mostAlike = 10_000

    /// Header blocks with a digest of an older version, which included fields that servers rewrite.
    public func undigestedHeaders(
        of account: AccountID, limit: Int
    ) throws(MailStoreError) -> [EmailID: [UInt8]] {
        try file.lookingUp { db in
            guard let accountRow = try db.accountRow(account) else { return [:] }
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT email_id, headers FROM message JOIN content ON content.message = message.id
                    WHERE account = ? AND header_digest = '' LIMIT ?
                    """, arguments: [accountRow, limit])
            var found: [EmailID: [UInt8]] = [:]
            while let row = try rows.next() { found[EmailID(rawValue: row[0])] = row.bytes(1) }
            return found
        }
    }

    public func saveHeaderDigests(_ digests: [EmailID: String]) throws(MailStoreError) {
        try file.writing { db in
            let statement = try db.cachedStatement(
                sql: "UPDATE message SET header_digest = ? WHERE email_id = ?")
            for (id, digest) in digests { try statement.execute(arguments: [digest, id.rawValue]) }
        }
    }
}
