/// The size of the inbox on each day: for the trend in the briefing.

enum InboxCountSchema {
    static let sql = """
        -- Messages in the inboxes of an account at the last look on a day of the workspace's zone, as days since 1970-01-01.
        CREATE TABLE inbox_count (
            account INTEGER NOT NULL REFERENCES account(id),
            day INTEGER NOT NULL,
            messages INTEGER NOT NULL,
            PRIMARY KEY (account, day)
        ) STRICT, WITHOUT ROWID;
        """
}
