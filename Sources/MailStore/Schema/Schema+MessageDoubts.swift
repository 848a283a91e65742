/// Messages that a server could not deliver, so that a sync does not fail on them each time.

extension Schema {
    static let messageDoubts = """
        -- `MessageDoubt`: while tries is 0, one of the UIDs is suspected; then both are the same.
        CREATE TABLE message_doubt (
            mailbox INTEGER NOT NULL REFERENCES mailbox(id),
            uid_validity INTEGER NOT NULL,
            stage TEXT NOT NULL CHECK (stage IN ('listing', 'content')),
            cause TEXT NOT NULL CHECK (cause IN ('lost', 'unread')),
            first_uid INTEGER NOT NULL,
            last_uid INTEGER NOT NULL,
            tries INTEGER NOT NULL,
            tried_at INTEGER NOT NULL,
            PRIMARY KEY (mailbox, stage, first_uid, last_uid)
        ) STRICT, WITHOUT ROWID;
        """
}
