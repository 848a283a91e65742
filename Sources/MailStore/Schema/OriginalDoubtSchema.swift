/// A server may drop the connection when opus reads a message as a whole that an earlier sync brought in parts.
enum OriginalDoubtSchema {
    static let sql = """
        ALTER TABLE message_doubt RENAME TO old_message_doubt;
        CREATE TABLE message_doubt (
            mailbox INTEGER NOT NULL REFERENCES mailbox(id),
            uid_validity INTEGER NOT NULL,
            stage TEXT NOT NULL CHECK (stage IN ('listing', 'content', 'original')),
            cause TEXT NOT NULL CHECK (cause IN ('lost', 'unread')),
            first_uid INTEGER NOT NULL,
            last_uid INTEGER NOT NULL,
            tries INTEGER NOT NULL,
            tried_at INTEGER NOT NULL,
            PRIMARY KEY (mailbox, stage, first_uid, last_uid)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO message_doubt SELECT * FROM old_message_doubt;
        DROP TABLE old_message_doubt;
        """
}
