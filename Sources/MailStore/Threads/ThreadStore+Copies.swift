import GRDB
public import Models

/// Second copies of the same mail: messages with the `Message-ID` and the sender of an earlier message of the account.
/// Anyone can write the Message-ID of another mail, and be faster.
///
/// Messages with the same header block are one message in several mailboxes, not copies. Copies took
/// different routes (`Received`). Equal identifiers put them into one conversation (``Threading``), so the
/// store needs no index of identifiers. Messages in Sent, Drafts and Junk do not count: the user wrote the
/// first two kinds, and does not see junk. If two messages arrived in the same second, the one that was
/// stored first is the earlier one, so there is always one first message.
extension ThreadStore {
    /// For every later copy in these conversations, the time at which the first one arrived.
    public func earlierCopies(
        account: AccountID, in threads: [ThreadID]? = nil
    ) throws(MailStoreError) -> [EmailID: Timestamp] {
        try file.reading { db in
            let repeated = try CopyReader(db: db, account: account).repeated(in: threads)
            let standing = try CopyReader.standing(db, among: repeated.joined().map(\.row))
            var earlier: [EmailID: Timestamp] = [:]
            for copies in repeated {
                var first: [String: Timestamp] = [:]
                for copy in copies.sorted() {
                    guard let sender = standing[copy.row] else { continue }
                    earlier[copy.id] = first[sender]
                    first[sender] = first[sender] ?? copy.received
                }
            }
            return earlier
        }
    }
}

private struct CopyReader {
    let db: Database
    let account: AccountID

    struct Copy: Comparable {
        let row: Int64
        let id: EmailID
        let received: Timestamp

        static func < (a: Self, b: Self) -> Bool { (a.received, a.row) < (b.received, b.row) }
    }

    /// Messages of one conversation that share an identifier. An identifier without `@` does not count: a
    /// program that writes one repeats it in every mail. RFC 5322 §3.6.4.
    func repeated(in threads: [ThreadID]?) throws -> [[Copy]] {
        let source =
            threads == nil
            ? "(SELECT thread FROM message GROUP BY thread HAVING count(*) > 1) AS wanted"
            : "(SELECT DISTINCT value AS thread FROM json_each(?2)) AS wanted"
        let statement = try db.cachedStatement(
            sql: """
                SELECT message.thread, message_id, message.id, email_id, received
                FROM \(source) CROSS JOIN message ON message.thread = wanted.thread
                WHERE +account = (SELECT id FROM account WHERE name = ?1) AND message_id LIKE '%_@_%'
                """)
        var arguments: StatementArguments = [account.rawValue]
        if let threads { arguments += [try JSONList.of(threads.map(\.rawValue))] }
        var found: [[Copy]] = []
        var thread: [String: [Copy]] = [:]
        var name = ""
        let rows = try Row.fetchCursor(statement, arguments: arguments)
        while let row = try rows.next() {
            if row[0] as String != name {
                found += thread.values.filter { $0.count > 1 }
                thread = [:]
                name = row[0]
            }
            thread[row[1], default: []].append(
                Copy(row: row[2], id: EmailID(rawValue: row[3]), received: Timestamp(seconds: row[4])))
        }
        return found + thread.values.filter { $0.count > 1 }
    }

    /// The senders of the messages that are in a mailbox other than Sent, Drafts and Junk.
    static func standing(_ db: Database, among rows: [Int64]) throws -> [Int64: String] {
        guard !rows.isEmpty else { return [:] }
        let places = """
            SELECT 1 FROM placement
                JOIN mailbox ON mailbox.id = coalesce(placement.shown_mailbox, placement.mailbox)
            WHERE placement.message = wanted.value AND NOT is_missing
            """
        let statement = try db.cachedStatement(
            sql: """
                SELECT value, addresses FROM json_each(?1) AS wanted JOIN message ON message.id = wanted.value
                WHERE EXISTS (\(places)) AND NOT EXISTS (\(places)
                    AND (role IN ('sent', 'drafts', 'junk') OR coalesce(shown_flags, flags) & ?2 <> 0))
                """)
        let found = try Row.fetchAll(statement, arguments: [JSONList.of(rows), Packed.flags([.draft])])
        return Dictionary(
            uniqueKeysWithValues: found.map { row in
                let addresses: Packed.Addresses = Packed.addresses(row[1] as String)
                return (row[0], addresses.from.first?.comparable ?? "")
            })
    }
}
