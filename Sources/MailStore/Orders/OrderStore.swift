import Foundation
import GRDB
public import Models

/// Command mailboxes, and the mailboxes from which messages were moved there.
public struct OrderStore: Sendable {
    let file: StoreFile

    /// The command mailboxes that opus created.
    public func mailboxes(of account: AccountID) throws(MailStoreError) -> Set<MailboxName> {
        try file.reading { db in
            let names = try Data.fetchAll(
                db,
                sql: """
                    SELECT name FROM command_mailbox WHERE account = (SELECT id FROM account WHERE name = ?)
                    """, arguments: [account.rawValue])
            return Set(names.map { MailboxName(bytes: [UInt8]($0)) })
        }
    }

    /// Remembers that opus created the mailbox, or forgets it.
    public func note(_ mailbox: MailboxName, of account: AccountID, isOwn: Bool) throws(MailStoreError) {
        try file.writing { db in
            try db.execute(
                sql: isOwn
                    ? "INSERT OR IGNORE INTO command_mailbox (account, name) VALUES (?, ?)"
                    : "DELETE FROM command_mailbox WHERE account = ? AND name = ?",
                arguments: [db.requireAccountRow(account), Data(mailbox.bytes)])
        }
    }

    /// The mailbox in which the message was before; nil: unknown.
    public func origin(of message: EmailID) throws(MailStoreError) -> MailboxName? {
        try file.reading { db in
            try Data.fetchOne(
                db,
                sql: """
                    SELECT mailbox.name FROM order_origin
                    JOIN mailbox ON mailbox.id = order_origin.mailbox AND mailbox.is_missing = 0
                    JOIN message ON message.id = order_origin.message
                    WHERE message.email_id = ?
                    """, arguments: [message.rawValue]
            ).map { MailboxName(bytes: [UInt8]($0)) }
        }
    }

    /// Notes where messages go when their order is undone, by their places in the command mailbox.
    public func note(homes: [MessageKey: MailboxName]) throws(MailStoreError) {
        guard !homes.isEmpty else { return }
        try file.writing { db in
            for (key, home) in homes {
                try db.execute(
                    sql: """
                        INSERT OR REPLACE INTO order_home (account, mailbox, uid_validity, uid, home)
                        VALUES (?, ?, ?, ?, ?)
                        """,
                    arguments: [
                        db.requireAccountRow(key.account), Data(key.mailbox.bytes), Int64(key.uidValidity),
                        Int64(key.uid), Data(home.bytes),
                    ])
            }
        }
    }

    public func home(of key: MessageKey) throws(MailStoreError) -> MailboxName? {
        try file.reading { db in
            try Data.fetchOne(
                db,
                sql: """
                    SELECT home FROM order_home WHERE account = (SELECT id FROM account WHERE name = ?)
                        AND mailbox = ? AND uid_validity = ? AND uid = ?
                    """,
                arguments: [
                    key.account.rawValue, Data(key.mailbox.bytes), Int64(key.uidValidity), Int64(key.uid),
                ]
            ).map { MailboxName(bytes: [UInt8]($0)) }
        }
    }
}
