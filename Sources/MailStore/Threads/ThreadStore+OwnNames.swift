import GRDB
public import Models

/// Messages whose `Message-ID` does not identify them: an earlier, different message of their conversation
/// has the same one, or it is invalid.
///
/// A second copy of the same mail that took another route is not a different message: it has the same date,
/// its subject differs at most by the prefix of a list, and one text begins like the other.
extension ThreadStore {
    /// Such messages in these threads, and the first message of each conversation. The identifier belongs to the
    /// message that arrived first.
    public func ownNames(
        account: AccountID, in threads: [ThreadID]
    ) throws(MailStoreError) -> OwnNames {
        guard !threads.isEmpty else { return OwnNames() }
        return try file.reading { db in
            let rows = try Row.fetchCursor(
                db.cachedStatement(
                    sql: """
                        SELECT thread, message_id, id, email_id, sent, subject, fingerprint,
                            coalesce(conversation, thread)
                        FROM (SELECT DISTINCT value AS wanted FROM json_each(?2))
                            CROSS JOIN message ON message.thread = wanted
                        WHERE +account = (SELECT id FROM account WHERE name = ?1) AND message_id IS NOT NULL
                        ORDER BY received, id
                        """), arguments: [account.rawValue, try JSONList.of(threads.map(\.rawValue))])
            var first: [[String]: Named] = [:]
            var others: [(owner: Named, other: Named)] = []
            var names = OwnNames()
            while let row = try rows.next() {
                let named = Named(
                    row: row[2], id: EmailID(rawValue: row[3]), sent: row[4], subject: row[5], digest: row[6])
                let conversation = ThreadID(rawValue: row[7])
                if names.first[conversation] == nil { names.first[conversation] = named.id }
                let key: [String] = [row[0], row[1]]
                if !MessageID(row[1]).namesAMessage {
                    names.digests[named.id] = named.digest
                } else if let owner = first[key] {
                    others.append((owner, named))
                } else {
                    first[key] = named
                }
            }
            for (owner, other) in others where try !owner.isCopy(of: other, db) {
                names.digests[other.id] = other.digest
                names.borrowed.insert(other.id)
            }
            return names
        }
    }

    /// The digests of messages, which identify them whatever their `Message-ID` is.
    public func digests(of ids: [EmailID]) throws(MailStoreError) -> [EmailID: String] {
        guard !ids.isEmpty else { return [:] }
        return try file.reading { db in
            let rows = try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT email_id, fingerprint FROM message
                        WHERE email_id IN (SELECT value FROM json_each(?))
                        """), arguments: [try JSONList.of(ids.map(\.rawValue))])
            return Dictionary(
                rows.map { (EmailID(rawValue: $0[0]), $0[1]) }, uniquingKeysWith: { first, _ in first })
        }
    }
}

private struct Named {
    let row: Int64
    let id: EmailID
    let sent: Int64?
    let subject: String
    let digest: String

    /// Whether both are copies of one mail.
    func isCopy(of other: Named, _ db: Database) throws -> Bool {
        guard let sent, sent == other.sent,
            subject.hasSuffix(other.subject) || other.subject.hasSuffix(subject)
        else { return false }
        let texts = try [row, other.row].map { row in
            let text = try String.fetchOne(
                db.cachedStatement(sql: "SELECT substr(text, 1, 1000) FROM content WHERE message = ?"),
                arguments: [row])
            return (text ?? "").split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
        return texts[0].hasPrefix(texts[1]) || texts[1].hasPrefix(texts[0])
    }
}
