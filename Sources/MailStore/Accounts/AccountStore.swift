import GRDB
public import Models

/// Whether opus can move messages of an account, and remove a single message.
public enum MoveAbility: String, Sendable {
    case yes
    /// The server offers neither MOVE nor a way to expunge one message alone, so a move would leave a
    /// duplicate.
    case no
}

/// What opus learned about an account: how it can move messages, and whether the server saves copies of sent
/// mail.
public struct AccountStore: Sendable {
    let file: StoreFile

    public func moveAbility(of account: AccountID) throws(MailStoreError) -> MoveAbility {
        try file.reading { db in
            try String.fetchOne(
                db, sql: "SELECT moves FROM account WHERE name = ?", arguments: [account.rawValue]
            ).flatMap(MoveAbility.init) ?? .yes
        }
    }

    /// If the ability changes, opus reports it again.
    public func remember(_ ability: MoveAbility, of account: AccountID) throws(MailStoreError) {
        guard try moveAbility(of: account) != ability else { return }
        try file.writing { db in
            _ = try db.requireAccountRow(account)
            try db.execute(
                sql: "UPDATE account SET moves = ?, moves_told = 0 WHERE name = ?",
                arguments: [ability.rawValue, account.rawValue])
        }
    }

    /// Whether opus has reported that it cannot move messages of the account.
    public func wasToldOfMoves(_ account: AccountID) throws(MailStoreError) -> Bool {
        try file.reading { db in
            try Bool.fetchOne(
                db, sql: "SELECT moves_told FROM account WHERE name = ?", arguments: [account.rawValue])
                ?? false
        }
    }

    public func noteToldOfMoves(_ account: AccountID) throws(MailStoreError) {
        try file.writing { db in
            try db.execute(
                sql: "UPDATE account SET moves_told = 1 WHERE name = ?", arguments: [account.rawValue])
        }
    }
}
