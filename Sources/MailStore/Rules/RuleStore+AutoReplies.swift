import GRDB
public import Models

/// Which senders rules have answered, and when, so that a sender does not get a second reply too soon. RFC
/// 5230 §4.2.
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
