/// Which rules deferred the messages that are deferred or back in the inbox. The list in the account shares
/// this with other stores.

enum RuleDeferralSchema {
    static let sql = """
        CREATE TABLE rule_deferral (
            account INTEGER NOT NULL REFERENCES account(id),
            message INTEGER NOT NULL REFERENCES message(id),
            rule TEXT NOT NULL,
            -- When the rule deferred it.
            at INTEGER NOT NULL,
            PRIMARY KEY (account, message, rule)
        ) STRICT, WITHOUT ROWID;
        """
}
