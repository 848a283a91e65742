/// The table of drafts: unfinished mails, saved here before they are saved anywhere else.

extension Schema {
    static let drafts = """
        CREATE TABLE draft (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            account INTEGER NOT NULL REFERENCES account(id),
            -- Made once: the Message-ID that it will be sent under, and what it is known by.
            message_id TEXT NOT NULL UNIQUE,
            revision INTEGER NOT NULL,
            saved_at INTEGER NOT NULL,
            -- The message of this revision, hidden recipients and all. Each revision has a Message-ID of its own.
            content BLOB NOT NULL,
            -- What was typed since and cannot be read as a message; NULL: there is nothing like that.
            typed TEXT,
            -- The message that it answers, an EmailID.
            answers TEXT,
            -- The revision that is in the Drafts mailbox, the EmailID and the UID that it has there; NULL: none is.
            pushed_revision INTEGER,
            pushed_message TEXT,
            pushed_uid INTEGER,
            -- Its submission; NULL: nobody said to send it.
            submission INTEGER REFERENCES step(id)
        ) STRICT;
        CREATE INDEX draft_pushed ON draft(pushed_message) WHERE pushed_message IS NOT NULL;
        """

    static let autoReplies = """
        -- When a rule last answered a sender by itself.
        CREATE TABLE auto_reply (
            account INTEGER NOT NULL REFERENCES account(id),
            rule TEXT NOT NULL,
            sender TEXT NOT NULL,
            at INTEGER NOT NULL,
            PRIMARY KEY (account, rule, sender)
        ) STRICT, WITHOUT ROWID;
        """

    static let sentCopies = """
        -- Who files sent mail into Sent, as it was found out for these servers.
        CREATE TABLE sent_copy (
            account INTEGER PRIMARY KEY REFERENCES account(id),
            route TEXT NOT NULL,
            keeper TEXT NOT NULL CHECK (keeper IN ('server', 'us'))
        ) STRICT;
        """
}
