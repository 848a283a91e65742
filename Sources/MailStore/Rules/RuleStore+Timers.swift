import GRDB
public import Models

/// When each rule with a timer last ran.
extension RuleStore {
    /// By rule; rules that have never run are left out.
    public func timers(of account: AccountID) throws(MailStoreError) -> [String: Timestamp] {
        try file.reading { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT rule, ran_at FROM rule_timer
                    WHERE account = (SELECT id FROM account WHERE name = ?)
                    """, arguments: [account.rawValue])
            return Dictionary(
                rows.map { ($0[0], Timestamp(seconds: $0[1])) }, uniquingKeysWith: { _, last in last })
        }
    }

    public func noteTimers(
        _ rules: [String], of account: AccountID, at now: Timestamp
    ) throws(MailStoreError) {
        guard !rules.isEmpty else { return }
        try file.writing { db in
            let row = try db.requireAccountRow(account)
            let statement = try db.cachedStatement(
                sql: "INSERT OR REPLACE INTO rule_timer (account, rule, ran_at) VALUES (?, ?, ?)")
            for rule in rules { try statement.execute(arguments: [row, Packed.text(rule), now.seconds]) }
        }
    }
}
