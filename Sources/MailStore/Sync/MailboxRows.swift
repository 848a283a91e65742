import GRDB
import Models

/// The rows of mailboxes, each read once per transaction: a thousand steps often use the same two mailboxes.
final class MailboxRows {
    private struct Name: Hashable {
        var account: AccountID
        var mailbox: MailboxName
    }

    let db: Database
    private var accounts: [AccountID: Int64] = [:]
    private var known: [Name: MailboxRow] = [:]
    private var proven: Set<Name> = []

    init(db: Database) { self.db = db }

    /// nil: the mailbox is not in the store.
    func row(_ mailbox: MailboxName, of account: AccountID) throws -> MailboxRow? {
        let name = Name(account: account, mailbox: mailbox)
        if let row = known[name] { return row }
        guard let account = try accountRow(account), let row = try db.mailboxRow(mailbox, account: account)
        else { return nil }
        known[name] = row
        return row
    }

    /// If the mailbox is not in the store yet, adds a row with what its name implies.
    func require(_ mailbox: MailboxName, of account: AccountID) throws -> MailboxRow {
        if let row = try row(mailbox, of: account) { return row }
        return try db.requireMailboxRow(mailbox, account: db.requireAccountRow(account))
    }

    /// The mailbox exists: a message was moved into it. The last list of the account may be older.
    func prove(_ mailbox: Mailbox) throws {
        let name = Name(account: mailbox.account, mailbox: mailbox.name)
        guard proven.insert(name).inserted else { return }
        try db.cachedStatement(
            sql: """
                UPDATE mailbox SET is_missing = 0, display_name = ?2, delimiter = ?3, role = coalesce(role, ?4)
                WHERE id = ?1 AND (is_missing = 1 OR delimiter IS NULL)
                """
        ).execute(arguments: [
            try require(mailbox.name, of: mailbox.account).id, Packed.text(mailbox.displayName),
            mailbox.delimiter.map(Packed.text), mailbox.role?.rawValue,
        ])
        known[name] = nil
    }

    /// The mailbox; nil if its UIDVALIDITY differs from that of the key.
    func row(of key: MessageKey) throws -> MailboxRow? {
        guard let row = try row(key.mailbox, of: key.account), row.uidValidity == key.uidValidity else {
            return nil
        }
        return row
    }

    /// The mailbox that a message was moved to; nil if the UIDVALIDITY of the key differs from the stored one. If the store has
    /// none, or no message of the mailbox, it stores that of the key: Courier gives an empty mailbox a new one each second.
    func destination(_ key: MessageKey) throws -> Int64? {
        var row = try require(key.mailbox, of: key.account)
        guard row.uidValidity != key.uidValidity else { return row.id }
        guard try row.uidValidity == nil || isEmpty(row) else { return nil }
        try db.cachedStatement(
            sql: """
                UPDATE mailbox SET uid_validity = ?1, highest_mod_seq = NULL, signature = NULL,
                    uid_next = iif(uid_validity IS NULL, uid_next, 1)
                WHERE id = ?2
                """
        ).execute(arguments: [Int64(key.uidValidity), row.id])
        row.uidValidity = key.uidValidity
        known[Name(account: key.account, mailbox: key.mailbox)] = row
        return row.id
    }

    private func isEmpty(_ row: MailboxRow) throws -> Bool {
        try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT NOT EXISTS (SELECT 1 FROM placement WHERE mailbox = ?)"),
            arguments: [row.id]) ?? false
    }

    private func accountRow(_ account: AccountID) throws -> Int64? {
        if let row = accounts[account] { return row }
        let row = try db.accountRow(account)
        accounts[account] = row
        return row
    }
}
