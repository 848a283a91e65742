import GRDB
public import Models

/// Messages with a calendar part.
extension MessageStore {
    /// The other messages of the account about the same event, the latest first.
    public func messages(
        aboutEvent uid: String, account: AccountID
    ) throws(MailStoreError) -> [(message: EmailID, addresses: [EmailAddress], event: EventFacts)] {
        try file.reading { db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT email_id, addresses, event FROM message
                    WHERE event <> '' AND account = (SELECT id FROM account WHERE name = ?)
                    ORDER BY received DESC, id DESC
                    """, arguments: [account.rawValue])
            var found: [(message: EmailID, addresses: [EmailAddress], event: EventFacts)] = []
            while let row = try rows.next() {
                guard let event = Packed.event(row[2] as String), event.uid == uid else { continue }
                let writer = Packed.firstWriter(row[1] as String).flatMap { EmailAddress($0) }
                found.append((EmailID(rawValue: row[0]), writer.map { [$0] } ?? [], event))
            }
            return found
        }
    }
}
