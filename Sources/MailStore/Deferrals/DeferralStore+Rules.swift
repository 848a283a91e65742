import GRDB
public import Models

/// A message that rules deferred, or that came back unread, and that has not left the inbox for another mailbox since.
public struct RuleDeferral: Hashable, Sendable {
    public var message: EmailID
    /// Sorted by name.
    public var rules: [String]
    public var at: Timestamp

    public init(message: EmailID, rules: [String], at: Timestamp) {
        self.message = message
        self.rules = rules
        self.at = at
    }
}

/// Which rules deferred a message. The store permanently remembers what each rule did; this is the part that
/// other stores need.
extension DeferralStore {
    public func byRules(account: AccountID) throws(MailStoreError) -> [RuleDeferral] {
        try file.reading { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT email_id, rule, at FROM rule_deferral
                    JOIN message ON message.id = rule_deferral.message
                    WHERE rule_deferral.account = (SELECT id FROM account WHERE name = ?)
                    ORDER BY email_id, rule
                    """, arguments: [account.rawValue])
            return Dictionary(grouping: rows) { $0[0] as String }.map { message, rows in
                RuleDeferral(
                    message: EmailID(rawValue: message), rules: rows.map { $0[1] },
                    at: Timestamp(seconds: rows.map { $0[2] as Int64 }.max() ?? 0))
            }.sorted { $0.message < $1.message }
        }
    }

    /// Takes over what a list in the account reports: none of these rules may defer its message again, and messages that
    /// came back are shown as such.
    public func take(_ deferrals: [RuleDeferral], account: AccountID) throws(MailStoreError) {
        guard !deferrals.isEmpty else { return }
        try file.writing { db in
            let account = try db.requireAccountRow(account)
            for deferral in deferrals {
                let matches = deferral.rules.map { RememberedMatch(rule: $0, message: deferral.message) }
                try JournalStore.remember(
                    db, matches.filter { $0.rule != RememberedMatch.isBack }, account: account)
                try Self.note(db, matches, account: account, at: deferral.at)
            }
        }
    }

    /// Forgets which rules deferred these messages. They are neither deferred nor in the inbox any more.
    public func forgetRules(of messages: [EmailID], account: AccountID) throws(MailStoreError) {
        guard !messages.isEmpty else { return }
        try file.writing { db in
            let account = try db.requireAccountRow(account)
            let statement = try db.cachedStatement(
                sql: "DELETE FROM rule_deferral WHERE account = ? AND message = ?")
            for message in messages {
                try statement.execute(arguments: [account, db.requireMessageRow(message)])
            }
        }
    }

    /// Forgets that these messages came back: they were opened, or deferred again.
    public func forgetReturns(of messages: [EmailID]) throws(MailStoreError) {
        guard !messages.isEmpty else { return }
        try file.writing { db in
            for message in messages { try Self.forgetReturn(db, db.requireMessageRow(message)) }
        }
    }

    static func note(
        _ db: Database, _ matches: [RememberedMatch], account: Int64, at time: Timestamp
    ) throws {
        let statement = try db.cachedStatement(
            sql: "INSERT OR REPLACE INTO rule_deferral (account, message, rule, at) VALUES (?, ?, ?, ?)")
        for match in matches {
            try statement.execute(
                arguments: [
                    account, db.requireMessageRow(match.message), Packed.text(match.rule), time.seconds,
                ])
        }
    }
}
