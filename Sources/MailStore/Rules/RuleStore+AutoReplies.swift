import GRDB
public import Models

/// Which senders rules have answered, and when, so that a sender does not get a second reply too soon. RFC
/// 5230 §4.2. And since when rules answer.
extension RuleStore {
    /// The last reply of each rule to each sender.
    public func autoReplies(
        of account: AccountID
    ) throws(MailStoreError) -> [(rule: String, sender: String, at: Timestamp)] {
        try file.reading { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT rule, sender, at FROM auto_reply
                    WHERE account = (SELECT id FROM account WHERE name = ?)
                    """, arguments: [account.rawValue]
            ).map { (rule: $0[0], sender: $0[1], at: Timestamp(seconds: $0[2])) }
        }
    }

    /// When each rule that answers came into force; see ``noteAnswerStarts(_:of:at:)``.
    public func answerStarts(of account: AccountID) throws(MailStoreError) -> [String: Timestamp] {
        try file.reading { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT rule, since FROM answer_start
                    WHERE account = (SELECT id FROM account WHERE name = ?)
                    """, arguments: [account.rawValue])
            return Dictionary(
                rows.map { ($0[0], Timestamp(seconds: $0[1])) }, uniquingKeysWith: { _, last in last })
        }
    }

    /// Notes the rules that answer now. A rule that no longer does is forgotten, so that it starts again when
    /// the user enables it again. Writes nothing if nothing changes.
    public func noteAnswerStarts(
        _ rules: Set<String>, of account: AccountID, at now: Timestamp
    ) throws(MailStoreError) {
        let known = try answerStarts(of: account)
        // A start in the future was noted with a wrong clock.
        let new = rules.filter { rule in known[Packed.text(rule)].map { $0 > now } ?? true }
        let gone = Set(known.keys).subtracting(rules.map(Packed.text))
        guard !new.isEmpty || !gone.isEmpty else { return }
        try file.writing { db in
            let row = try db.requireAccountRow(account)
            for rule in new.sorted() {
                try db.cachedStatement(
                    sql: "INSERT OR REPLACE INTO answer_start (account, rule, since) VALUES (?, ?, ?)"
                ).execute(arguments: [row, Packed.text(rule), now.seconds])
            }
            for rule in gone.sorted() {
                try db.cachedStatement(sql: "DELETE FROM answer_start WHERE account = ? AND rule = ?")
                    .execute(arguments: [row, rule])
            }
        }
    }

    static func note(_ db: Database, _ rule: String, _ sender: String, account: Int64, at time: Timestamp)
        throws
    {
        try db.cachedStatement(
            sql: """
                INSERT INTO auto_reply (account, rule, sender, at) VALUES (?, ?, ?, ?)
                ON CONFLICT (account, rule, sender) DO UPDATE SET at = max(at, excluded.at)
                """
        ).execute(arguments: [account, Packed.text(rule), Packed.text(sender), time.seconds])
    }
}
