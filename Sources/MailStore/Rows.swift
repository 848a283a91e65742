import Foundation
import GRDB
import Models

/// Look-ups of row numbers by name, shared by all parts of the store.
extension Database {
    /// The row of the account; nil: the account is not in the store.
    func accountRow(_ account: AccountID) throws -> Int64? {
        let statement = try cachedStatement(sql: "SELECT id FROM account WHERE name = ?")
        return try Int64.fetchOne(statement, arguments: [account.rawValue])
    }

    func requireAccountRow(_ account: AccountID) throws -> Int64 {
        if let row = try accountRow(account) { return row }
        let statement = try cachedStatement(sql: "INSERT INTO account (name) VALUES (?)")
        try statement.execute(arguments: [account.rawValue])
        return lastInsertedRowID
    }

    func messageRow(_ id: EmailID) throws -> Int64? {
        let statement = try cachedStatement(sql: "SELECT id FROM message WHERE email_id = ?")
        return try Int64.fetchOne(statement, arguments: [id.rawValue])
    }

    func requireMessageRow(_ id: EmailID) throws -> Int64 {
        guard let row = try messageRow(id) else { throw MailStoreError.unknownMessage(id) }
        return row
    }

    func mailboxRow(_ name: MailboxName, account: Int64) throws -> MailboxRow? {
        let statement = try cachedStatement(
            sql: "SELECT id, uid_validity, role FROM mailbox WHERE account = ? AND name = ?")
        guard let row = try Row.fetchOne(statement, arguments: [account, Data(name.bytes)]) else {
            return nil
        }
        return MailboxRow(id: row[0], uidValidity: row.uid32(1), role: row.role(2))
    }

    /// If the mailbox is not in the store yet, adds a row with what its name implies.
    func requireMailboxRow(_ name: MailboxName, account: Int64) throws -> MailboxRow {
        if let row = try mailboxRow(name, account: account) { return row }
        let statement = try cachedStatement(
            sql: "INSERT INTO mailbox (account, name, display_name) VALUES (?, ?, ?)")
        try statement.execute(
            arguments: [account, Data(name.bytes), Packed.text(name.description)])
        return MailboxRow(id: lastInsertedRowID, uidValidity: nil, role: nil)
    }

    /// Every mailbox by its row number.
    func allMailboxes() throws -> [Int64: KnownMailbox] {
        let statement = try cachedStatement(
            sql: """
                SELECT mailbox.id, account.name, mailbox.name, display_name, delimiter, role, is_missing,
                    uid_validity, personal_prefix
                FROM mailbox JOIN account ON account.id = mailbox.account
                """)
        var mailboxes: [Int64: KnownMailbox] = [:]
        let rows = try Row.fetchCursor(statement)
        while let row = try rows.next() {
            let mailbox = Mailbox(
                account: AccountID(row[1]), name: MailboxName(bytes: row.bytes(2)), displayName: row[3],
                delimiter: row[4], role: row.role(5), personalPrefix: row[8])
            mailboxes[row[0]] = KnownMailbox(
                mailbox: mailbox, isMissing: row[6], uidValidity: row.uid32(7) ?? 0)
        }
        return mailboxes
    }
}

struct MailboxRow {
    var id: Int64
    var uidValidity: UInt32?
    var role: MailboxRole?
}

struct KnownMailbox {
    var mailbox: Mailbox
    var isMissing: Bool
    var uidValidity: UInt32

    func key(uid: UInt32) -> MessageKey {
        MessageKey(account: mailbox.account, mailbox: mailbox.name, uidValidity: uidValidity, uid: uid)
    }
}

extension Row {
    func uid32(_ index: Int) -> UInt32? {
        (self[index] as Int64?).map { UInt32(truncatingIfNeeded: $0) }
    }

    func time(_ index: Int) -> Timestamp? {
        (self[index] as Int64?).map { Timestamp(seconds: $0) }
    }

    func role(_ index: Int) -> MailboxRole? {
        (self[index] as String?).flatMap { MailboxRole(rawValue: $0) }
    }

    func bytes(_ index: Int) -> [UInt8] {
        [UInt8](self[index] as Data)
    }
}

/// Passes many values as one argument: `IN (SELECT value FROM json_each(?))`.
enum JSONList {
    static func of(_ numbers: some Sequence<Int64>) -> String {
        "[" + numbers.map(String.init).joined(separator: ",") + "]"
    }

    static func of(_ texts: [String]) throws -> String {
        // Ids made by opus need no escaping.
        if !texts.isEmpty, texts.allSatisfy(isPlain) {
            return "[\"" + texts.joined(separator: "\",\"") + "\"]"
        }
        return String(decoding: try JSONEncoder().encode(texts), as: UTF8.self)
    }

    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }
    }
}
