import GRDB
public import Models

/// A mail in the Sent mailbox.
public struct MailInSent: Hashable, Sendable {
    public var messageID: MessageID
    public var to: [EmailAddress]
    public var sent: Timestamp
    public var headerBlock: [UInt8]
}

extension MessageStore {
    /// The mail in Sent since that time.
    public func mailInSent(since time: Timestamp, account: AccountID) throws(MailStoreError) -> [MailInSent] {
        try file.reading { db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT message_id, addresses, coalesce(sent, received), headers
                    FROM message JOIN content ON content.message = message.id
                    WHERE account = (SELECT id FROM account WHERE name = ?1) AND coalesce(sent, received) >= ?2
                        AND message_id IS NOT NULL AND EXISTS (
                            SELECT 1 FROM placement JOIN mailbox ON mailbox.id = placement.mailbox
                            WHERE placement.message = message.id AND mailbox.role = ?3)
                    """, arguments: [account.rawValue, time.seconds, MailboxRole.sent.rawValue])
            var mails: [MailInSent] = []
            while let row = try rows.next() {
                mails.append(
                    MailInSent(
                        messageID: MessageID(row[0] as String), to: Packed.addresses(row[1] as String).to,
                        sent: Timestamp(seconds: row[2]), headerBlock: row.bytes(3)))
            }
            return mails
        }
    }
}
