/// When each rule with `vacation` came into force. It answers no mail that arrived days before.

enum AnswerStartSchema {
    static let sql =
        """
        CREATE TABLE answer_start (
            account INTEGER NOT NULL REFERENCES account(id),
            rule TEXT NOT NULL,
            since INTEGER NOT NULL,
            PRIMARY KEY (account, rule)
        ) STRICT, WITHOUT ROWID;
        -- A rule that has answered was in force then.
        INSERT INTO answer_start (account, rule, since)
            SELECT account, rule, max(at) FROM auto_reply GROUP BY account, rule;

        """ + QuietInboxSchema.answerStarts.triggers
}
