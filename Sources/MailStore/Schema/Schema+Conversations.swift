/// The conversations that decisions act on, beside the threads that are shown.

extension Schema {
    static let conversations = """
        -- The conversation of the message inside its thread, called like its first message; NULL: the thread is one.
        ALTER TABLE message ADD COLUMN conversation TEXT;

        -- Threads that got a message since their conversations were told apart. Until then each message stands alone.
        CREATE TABLE conversation_due (
            account INTEGER NOT NULL REFERENCES account(id),
            thread TEXT NOT NULL,
            PRIMARY KEY (account, thread)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO conversation_due (account, thread)
            SELECT account, thread FROM message GROUP BY account, thread HAVING count(*) > 1;
        """
}
