/// When deferred messages come back, and the lists of them that opus keeps in the accounts.

extension Schema {
    static let deferrals = """
        CREATE TABLE deferral_again (
            message INTEGER PRIMARY KEY REFERENCES message(id),
            account INTEGER NOT NULL REFERENCES account(id),
            -- NULL: someday.
            until INTEGER,
            -- When it was decided; 0: by a version that did not note it.
            set_at INTEGER NOT NULL,
            -- The newest message of the store then; NULL: the date was read from a list in the account.
            newest INTEGER
        ) STRICT;
        INSERT INTO deferral_again (message, account, until, set_at, newest)
            SELECT message, account, until, 0, (SELECT max(id) FROM message) FROM deferral;
        DROP TABLE deferral;
        ALTER TABLE deferral_again RENAME TO deferral;

        -- The messages in the mailboxes for deferred mail that say when it comes back.
        CREATE TABLE deferred_list (
            account INTEGER NOT NULL REFERENCES account(id),
            -- Its Message-ID.
            token TEXT NOT NULL,
            -- SHA-256 of the message in its comparable form.
            digest TEXT NOT NULL,
            -- Its machine-readable part; NULL: it is not a list of opus.
            content BLOB,
            PRIMARY KEY (account, token)
        ) STRICT, WITHOUT ROWID;

        -- The few moves that brought deferred mail back.
        CREATE INDEX step_deferral ON step(message) WHERE cause = 'deferral' AND state = 'confirmed';
        """
}
