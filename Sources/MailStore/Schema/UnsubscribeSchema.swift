/// Senders whose mail the user unsubscribed from: opus checks later whether they still write.

enum UnsubscribeSchema {
    static let sql = """
        CREATE TABLE unsubscription (
            account INTEGER NOT NULL REFERENCES account(id),
            -- `EmailAddress.comparable`
            sender TEXT NOT NULL,
            at INTEGER NOT NULL,
            -- post, mail or page
            way TEXT NOT NULL,
            PRIMARY KEY (account, sender)
        ) STRICT, WITHOUT ROWID;
        """
}
