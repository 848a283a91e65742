import Foundation
import GRDB
public import Models

/// Another program may rename the mailbox for deferred mail: then the mailbox with the list of opus takes its role.
///
/// Only a mailbox without a role can take it, and none below Trash or Junk, where programs put mailboxes that a person
/// deletes.
enum RenamedDeferredMailbox {
    /// The row of the mailbox that should take the role; nil: there is none, or a mailbox has the role.
    static func row(_ db: Database, _ account: AccountID) throws -> Int64? {
        let known = try db.allMailboxes().filter {
            $0.value.mailbox.account == account && !$0.value.isMissing
        }
        guard !known.values.contains(where: { $0.mailbox.role == .deferred }) else { return nil }
        let statement = try db.cachedStatement(
            sql: """
                SELECT DISTINCT placement.mailbox FROM deferred_list
                JOIN message ON message.message_id = deferred_list.token AND +message.account = deferred_list.account
                JOIN placement ON placement.message = message.id
                WHERE deferred_list.account = ? AND deferred_list.content IS NOT NULL
                ORDER BY placement.mailbox
                """)
        let withList = try Int64.fetchAll(statement, arguments: [db.accountRow(account)])
        let bins = known.values.map(\.mailbox).filter { $0.role == .trash || $0.role == .junk }
        return withList.first { id in
            guard let mailbox = known[id]?.mailbox, mailbox.role == nil else { return false }
            return !bins.contains(where: mailbox.isBelow)
        }
    }

    static func giveRole(_ db: Database, _ account: AccountID) throws {
        guard let renamed = try row(db, account) else { return }
        try db.execute(
            sql: "UPDATE mailbox SET role = ? WHERE id = ?",
            arguments: [MailboxRole.deferred.rawValue, renamed])
    }
}

extension DeferralStore {
    /// Call after a sync: finds the mailbox for deferred mail again if another program renamed it.
    public func findRenamedMailbox(of account: AccountID) throws(MailStoreError) {
        guard try file.reading({ db in try RenamedDeferredMailbox.row(db, account) }) != nil else { return }
        try file.writingSoon { db in try RenamedDeferredMailbox.giveRole(db, account) }
    }

    /// Whether the account had mail in this mailbox when opus last looked, without what queued steps will move there.
    public func hadMail(in mailbox: Mailbox) throws(MailStoreError) -> Bool {
        try file.reading { db in
            try Bool.fetchOne(
                db,
                sql: """
                    SELECT EXISTS (
                        SELECT 1 FROM mailbox JOIN placement ON placement.mailbox = mailbox.id
                        WHERE mailbox.account = ? AND mailbox.name = ? AND is_missing = 0)
                    """,
                arguments: [db.accountRow(mailbox.account), Data(mailbox.name.bytes)]) ?? false
        }
    }
}
