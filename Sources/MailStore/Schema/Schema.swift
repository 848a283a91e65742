import GRDB

/// The tables, and the migrations from older versions.
///
/// The `user_version` of a file is the number of migrations applied to it. A released migration is never
/// edited; a change is a new migration at the end.
enum Schema {
    /// The application id "opus" in the file header distinguishes a store from other SQLite files.
    static let applicationID = 0x6F70_7573

    static let migrations = [
        firstVersion, exceededLimits, comparisons, identities, wholeJournal, shownBefore, drafts, autoReplies,
        sentCopies, ruleVersions, taskRecords, stepWords,
        signatures, ruleHits, moving, contentIdentity, conversations, taskLinks, interruptedRuns,
        draftVersions, messageDoubts, TypedStateMigration.sql, deferrals, InboxCountSchema.sql, runParts,
        events, RuleDeferralSchema.sql, OrderSchema.sql, ScreenerSchema.sql, UnsubscribeSchema.sql,
        UnsubscribeMailSchema.sql, NewestSchema.sql, SearchSchema.sql, ThreadSchema.sql,
        PackedContentSchema.sql, JournalIndexSchema.sql, EndedDeferralSchema.sql, FileTextSchema.sql,
        QueueHaltSchema.sql, InboxThreadSchema.sql, FileTextKindSchema.sql, QuietInboxSchema.sql,
        SubjectMarkSchema.sql, PlainWordSchema.sql, RemovedDraftSchema.sql, OriginalDoubtSchema.sql,
        AssumedDeferralSchema.sql, FinalSigmaSchema.sql, AnswerStartSchema.sql, PersonalPrefixSchema.sql,
        ScreenedElsewhereSchema.sql, HeldMailSchema.sql, DecidedDeferralSchema.sql,
    ]

    /// Throws for a file of a later version of the program, and for a database that opus did not create.
    static func refuseStrangers(_ db: Database, path: String) throws {
        let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        let owner = try Int.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        let tables = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") ?? 0
        guard owner == applicationID || (owner == 0 && version == 0 && tables == 0) else {
            throw MailStoreError.cannotOpen(path: path, reason: "it is a database of another program")
        }
        guard version <= migrations.count else {
            throw MailStoreError.newerSchema(found: version, known: migrations.count)
        }
    }

    /// Whether the schema is current. A database without tables is not: its schema must be made first.
    static func isCurrent(_ db: Database) throws -> Bool {
        try Int.fetchOne(db, sql: "PRAGMA user_version") == migrations.count
    }

    static func migrate(_ db: Database) throws {
        // Without a lock: another process may hold it for a while.
        if try isCurrent(db) { return }
        for (index, migration) in migrations.enumerated() {
            try db.inTransaction(.immediate) {
                // Read again under the lock: another process may have migrated the file meanwhile.
                let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
                guard version == index else { return .commit }
                try db.execute(sql: migration)
                // PRAGMA accepts no arguments; both numbers are constants of opus.
                try db.execute(sql: "PRAGMA application_id = \(applicationID)")
                try db.execute(sql: "PRAGMA user_version = \(index + 1)")
                return .commit
            }
        }
    }

    /// `Packed` writes the columns that hold several values.
    private static let firstVersion = mail + search + tasks + journal

    private static let exceededLimits = """
        -- Names of the limits that kept the parser from reading all of it, joined by blanks.
        ALTER TABLE message ADD COLUMN exceeded_limits TEXT NOT NULL DEFAULT '';
        """

    private static let signatures = """
        -- `SignatureVerdict`, packed; '': not signed as a whole, or it came before anybody looked.
        ALTER TABLE message ADD COLUMN signed TEXT NOT NULL DEFAULT '';
        """

    private static let comparisons = """
        -- When every message of the mailbox was last compared; NULL: never, or the last sync was incomplete.
        ALTER TABLE mailbox ADD COLUMN compared_at INTEGER;
        """

    private static let identities = """
        -- The account's own name for the content: "E" and an EMAILID, "G" and an X-GM-MSGID; NULL: not known.
        ALTER TABLE message ADD COLUMN remote_id TEXT;
        CREATE INDEX message_remote_id ON message(account, remote_id) WHERE remote_id IS NOT NULL;

        -- Messages received before it are not fetched; NULL: everything is.
        ALTER TABLE mailbox ADD COLUMN window_since INTEGER;

        -- Messages that lost a place, and perhaps have none. `since`: when they were last looked at.
        CREATE TABLE unplaced (
            message INTEGER PRIMARY KEY REFERENCES message(id),
            since INTEGER
        ) STRICT;
        CREATE INDEX unplaced_since ON unplaced(since);
        INSERT INTO unplaced (message)
            SELECT id FROM message WHERE id NOT IN (SELECT message FROM placement);
        CREATE INDEX remembered_message ON remembered(message);

        -- A first sync rewrites the index less often, and a batch of it fits into memory before it is written.
        INSERT INTO search (search, rank) VALUES ('automerge', 8);
        INSERT INTO search (search, rank) VALUES ('hashsize', 2097152);
        """

    /// SQLite cannot change a CHECK in place: the table is created again, with the same rows and numbers.
    private static let wholeJournal = """
        ALTER TABLE run ADD COLUMN undoes INTEGER REFERENCES run(id);

        CREATE TABLE step_again (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            run INTEGER NOT NULL REFERENCES run(id),
            account INTEGER NOT NULL REFERENCES account(id),
            idempotency_key TEXT NOT NULL,
            -- An EmailID; a step on a task alone has none.
            message TEXT,
            rule TEXT NOT NULL,
            -- `Step.Kind` as `StepRecord` writes it, without the bytes of a message or a file: those are in `payload`.
            kind BLOB NOT NULL,
            payload BLOB,
            state TEXT NOT NULL CHECK (state IN
                ('planned', 'ready', 'issued', 'unknown', 'reconciling', 'confirmed', 'rejected',
                 'needsDecision', 'cancelled')),
            attempts INTEGER NOT NULL DEFAULT 0,
            error TEXT,
            evidence TEXT,
            -- Not tried before then; NULL: at once.
            due_at INTEGER,
            -- When it was last issued, by the clock of the run.
            issued_at INTEGER,
            undoes INTEGER REFERENCES step_again(id),
            -- `StepOutcome` as `StepRecord` writes it; NULL: nothing is known.
            outcome BLOB
        ) STRICT;
        INSERT INTO step_again (id, run, account, idempotency_key, message, rule, kind, payload, state, attempts,
                error, evidence)
            SELECT id, run, account, idempotency_key, message, rule, kind, payload, state, attempts, error, evidence
            FROM step;
        DROP TABLE step;
        ALTER TABLE step_again RENAME TO step;
        -- The same wish is queued once. One that was refused or taken back may be wished again.
        CREATE UNIQUE INDEX step_key ON step(idempotency_key) WHERE state NOT IN ('rejected', 'cancelled');
        CREATE INDEX step_open ON step(account, id)
            WHERE state IN ('planned', 'ready', 'issued', 'unknown', 'reconciling');
        CREATE INDEX step_run ON step(run);
        CREATE INDEX step_message ON step(message) WHERE message IS NOT NULL;
        CREATE INDEX step_undoes ON step(undoes) WHERE undoes IS NOT NULL;
        """

    private static let shownBefore = """
        -- When a step was first issued, since the last time that a person said retry.
        ALTER TABLE step ADD COLUMN tried_since INTEGER;

        -- What open steps will have made of a place, for people and rules; NULL: nothing waits. Syncs do not read it.
        ALTER TABLE placement ADD COLUMN shown_mailbox INTEGER REFERENCES mailbox(id);
        ALTER TABLE placement ADD COLUMN shown_flags INTEGER;
        ALTER TABLE placement ADD COLUMN shown_keywords TEXT;
        CREATE INDEX placement_shown ON placement(shown_mailbox) WHERE shown_mailbox IS NOT NULL;
        """

    private static let mail = """
        CREATE TABLE account (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE
        ) STRICT;

        CREATE TABLE mailbox (
            id INTEGER PRIMARY KEY,
            account INTEGER NOT NULL REFERENCES account(id),
            name BLOB NOT NULL,
            display_name TEXT NOT NULL,
            delimiter TEXT,
            role TEXT,
            is_missing INTEGER NOT NULL DEFAULT 0 CHECK (is_missing IN (0, 1)),
            -- The UIDVALIDITY of every placement in it; NULL: never synchronised.
            uid_validity INTEGER,
            uid_next INTEGER NOT NULL DEFAULT 1,
            highest_mod_seq INTEGER,
            exists_count INTEGER NOT NULL DEFAULT 0,
            signature TEXT,
            synced_at INTEGER,
            -- Where the source has no UIDs (Maildir) the store hands them out; never goes back.
            own_uid_next INTEGER NOT NULL DEFAULT 1,
            UNIQUE (account, name)
        ) STRICT;

        CREATE TABLE message (
            id INTEGER PRIMARY KEY,
            account INTEGER NOT NULL REFERENCES account(id),
            email_id TEXT NOT NULL UNIQUE,
            fingerprint TEXT NOT NULL,
            thread TEXT NOT NULL,
            message_id TEXT,
            subject TEXT NOT NULL,
            addresses TEXT NOT NULL,
            sent INTEGER,
            received INTEGER NOT NULL,
            size INTEGER NOT NULL,
            attachments TEXT NOT NULL,
            is_truncated INTEGER NOT NULL CHECK (is_truncated IN (0, 1)),
            UNIQUE (account, fingerprint)
        ) STRICT;
        CREATE INDEX message_thread ON message(thread);

        -- Apart from `message`, so that a list of messages does not read their bodies.
        CREATE TABLE content (
            message INTEGER PRIMARY KEY REFERENCES message(id),
            headers BLOB NOT NULL,
            text TEXT NOT NULL
        ) STRICT;

        CREATE TABLE placement (
            mailbox INTEGER NOT NULL REFERENCES mailbox(id),
            uid INTEGER NOT NULL CHECK (uid BETWEEN 1 AND 4294967295),
            message INTEGER NOT NULL REFERENCES message(id),
            flags INTEGER NOT NULL,
            keywords TEXT NOT NULL,
            remote_name TEXT,
            PRIMARY KEY (mailbox, uid)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX placement_message ON placement(message);
        CREATE UNIQUE INDEX placement_remote_name ON placement(mailbox, remote_name)
            WHERE remote_name IS NOT NULL;

        CREATE TABLE thread_link (
            account INTEGER NOT NULL REFERENCES account(id),
            message_id TEXT NOT NULL,
            thread TEXT NOT NULL,
            PRIMARY KEY (account, message_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX thread_link_thread ON thread_link(account, thread);

        CREATE TABLE correspondent (
            account INTEGER NOT NULL REFERENCES account(id),
            address TEXT NOT NULL,
            PRIMARY KEY (account, address)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE meta (
            key TEXT PRIMARY KEY,
            value TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;

        """

    /// The index keeps no copy of the text: it reads the text through the view when needed.
    private static let search = """
        CREATE VIEW searchable AS
            SELECT message.id AS id, subject, addresses, text
            FROM message JOIN content ON content.message = message.id;

        CREATE VIRTUAL TABLE search USING fts5(
            subject, addresses, text,
            content = 'searchable', content_rowid = 'id', columnsize = 0,
            tokenize = 'unicode61 remove_diacritics 2'
        );

        """

    private static let taskRecords = """
        -- No file has this size: each is read again, and its record written in the form of today.
        UPDATE todo_file SET size = -1;
        """

    private static let tasks = """
        CREATE TABLE todo_file (
            todo TEXT PRIMARY KEY,
            is_open INTEGER NOT NULL CHECK (is_open IN (0, 1)),
            path TEXT NOT NULL,
            size INTEGER NOT NULL,
            modified_nanoseconds INTEGER NOT NULL,
            inode INTEGER NOT NULL,
            digest TEXT NOT NULL,
            -- `Todo`, as `TodoRecord` writes it; as JSON in a store of an older version.
            content BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE todo_link (
            todo TEXT PRIMARY KEY,
            message INTEGER NOT NULL REFERENCES message(id),
            account INTEGER NOT NULL REFERENCES account(id),
            rule TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX todo_link_message ON todo_link(message);

        CREATE TABLE deferral (
            message INTEGER PRIMARY KEY REFERENCES message(id),
            account INTEGER NOT NULL REFERENCES account(id),
            until INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE remembered (
            account INTEGER NOT NULL REFERENCES account(id),
            rule TEXT NOT NULL,
            message INTEGER NOT NULL REFERENCES message(id),
            PRIMARY KEY (account, rule, message)
        ) STRICT, WITHOUT ROWID;

        """

    private static let journal = """
        CREATE TABLE run (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            account INTEGER NOT NULL REFERENCES account(id),
            started_at INTEGER NOT NULL,
            command TEXT NOT NULL,
            rules_digest TEXT NOT NULL,
            plan BLOB NOT NULL
        ) STRICT;

        CREATE TABLE step (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            run INTEGER NOT NULL REFERENCES run(id),
            account INTEGER NOT NULL REFERENCES account(id),
            idempotency_key TEXT NOT NULL,
            -- An EmailID; a step on a task alone has none.
            message TEXT,
            rule TEXT NOT NULL,
            -- `Step.Kind`, without the bytes of a message: those are in `payload`.
            kind BLOB NOT NULL,
            payload BLOB,
            state TEXT NOT NULL CHECK (state IN
                ('ready', 'issued', 'confirmed', 'rejected', 'unknown', 'needsDecision', 'cancelled')),
            attempts INTEGER NOT NULL DEFAULT 0,
            error TEXT,
            evidence TEXT
        ) STRICT;
        -- The same wish is queued once. One that was refused or taken back may be wished again.
        CREATE UNIQUE INDEX step_key ON step(idempotency_key)
            WHERE state NOT IN ('rejected', 'cancelled');
        CREATE INDEX step_open ON step(account, id) WHERE state IN ('ready', 'issued', 'unknown');
        CREATE INDEX step_run ON step(run);
        CREATE INDEX step_message ON step(message) WHERE message IS NOT NULL;

        """
}
