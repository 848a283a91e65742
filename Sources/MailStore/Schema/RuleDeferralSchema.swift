/// Which rules deferred the messages that wait or are back in the inbox: the list in the account tells it to other stores.

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
