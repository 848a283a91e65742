import GRDB
public import Models

/// The user's own mail in some threads: the mail in Sent. `From` proves nothing.
public struct OwnMail: Sendable {
    public private(set) var messages: Set<EmailID> = []
    /// To whom the user wrote, by conversation: `EmailAddress.comparable`, and `EmailAddress.person`.
    public private(set) var recipients: [ThreadID: Set<String>] = [:]

    init() {}

    init(_ db: Database, in threads: [ThreadID], account: AccountID) throws {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT coalesce(conversation, thread), email_id, addresses FROM json_each(?1) AS wanted
                CROSS JOIN message ON message.thread = wanted.value
                WHERE +account = (SELECT id FROM account WHERE name = ?2) AND EXISTS (
                    SELECT 1 FROM placement JOIN mailbox ON mailbox.id = placement.mailbox
                    WHERE placement.message = message.id AND role = 'sent')
                """, arguments: [try JSONList.of(threads.map(\.rawValue)), account.rawValue])
        while let row = try rows.next() {
            messages.insert(EmailID(rawValue: row[1]))
            let addresses: Packed.Addresses = Packed.addresses(row[2] as String)
            let people = addresses.to + addresses.cc + addresses.bcc
            recipients[ThreadID(rawValue: row[0]), default: []].formUnion(
                people.flatMap { [$0.comparable, $0.person] })
        }
    }
}
