import Foundation
import GRDB
public import Models

/// What a sync with a window must read again, however old it is.
extension MessageStore {
    /// The names of all messages of a Maildir. Empty for a server.
    public func remoteNames(of account: AccountID) throws(MailStoreError) -> Set<String> {
        try file.reading { db in
            try String.fetchSet(
                db,
                sql: """
                    SELECT remote_name FROM mailbox CROSS JOIN placement ON placement.mailbox = mailbox.id
                    WHERE account = (SELECT id FROM account WHERE name = ?) AND remote_name IS NOT NULL
                    """, arguments: [account.rawValue])
        }
    }

    /// When the oldest stored message of an account, or of one of its mailboxes, was received; nil: it has none.
    public func oldest(
        of account: AccountID, mailbox: MailboxName? = nil
    ) throws(MailStoreError) -> Timestamp? {
        try file.reading { db in
            try Int64.fetchOne(
                db,
                sql: """
                    SELECT min(received) FROM mailbox CROSS JOIN placement ON placement.mailbox = mailbox.id
                    CROSS JOIN message ON message.id = placement.message
                    WHERE mailbox.account = (SELECT id FROM account WHERE name = ?1)
                        AND (?2 IS NULL OR mailbox.name = ?2)
                    """, arguments: [account.rawValue, mailbox.map { Data($0.bytes) }]
            ).map { Timestamp(seconds: $0) }
        }
    }
}
