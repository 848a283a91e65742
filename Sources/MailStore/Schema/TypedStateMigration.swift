/// Moves state from sentences and composed keys into columns and tables.
///
/// This is the only place that reads the old sentences. `TypedStateTests` has each of them.

enum TypedStateMigration {
    static let sql =
        typedRuns + typedHolds + typedProofs + typedKeys + """

            -- A lookup by Message-ID.
            CREATE INDEX message_message_id ON message(message_id) WHERE message_id IS NOT NULL;
            """

    /// Before, a run by hand was a run without a digest of rules, and `rule` held a rule, a verb or a name
    /// that opus uses.
    private static let typedRuns = """
        -- `Plan.Origin`; `rules_digest` is '' for 'hand'.
        ALTER TABLE run ADD COLUMN origin TEXT NOT NULL DEFAULT 'hand' CHECK (origin IN ('rules', 'hand'));
        UPDATE run SET origin = 'rules' WHERE rules_digest <> '';

        -- `Step.Cause`; `rule` has the rule's id, the verb or the `TaskChange`, and is '' for the others.
        ALTER TABLE step ADD COLUMN cause TEXT NOT NULL DEFAULT 'hand'
            CHECK (cause IN ('rule', 'hand', 'task', 'undo', 'deferral', 'reply'));
        DROP INDEX step_rule;
        UPDATE step SET cause = CASE
            WHEN run IN (SELECT id FROM run WHERE origin = 'rules') THEN 'rule'
            WHEN rule = 'undo' THEN 'undo'
            WHEN rule = 'deferral' THEN 'deferral'
            WHEN rule = 'task reply' THEN 'reply'
            WHEN rule IN ('task done', 'task cancelled', 'task reopened', 'task start', 'task waiting',
                    'task scheduled', 'task someday', 'task list', 'task categories')
                AND account NOT IN (SELECT id FROM account WHERE name = '(tasks)') THEN 'task'
            ELSE 'hand' END;
        UPDATE step SET rule = '' WHERE cause IN ('undo', 'deferral', 'reply');
        CREATE INDEX step_rule ON step(rule, run) WHERE cause = 'rule';

        """

    private static let typedHolds = """
        -- `Step.Hold`.
        ALTER TABLE step ADD COLUMN hold TEXT CHECK (hold IN ('crash', 'follows', 'undone'));
        UPDATE step SET hold = 'follows', error = nullif(substr(error, 12), 'what it follows was taken back') -- prose: quoted
            WHERE state = 'cancelled' AND error LIKE 'held back: %';
        UPDATE step SET hold = 'undone', error = NULL
            WHERE state = 'cancelled' AND error IN ('taken back before it happened', 'undone before it happened'); -- prose: quoted
        UPDATE step SET hold = 'crash', error = NULL
            WHERE state = 'planned' AND error LIKE 'opus ended in the middle of the last run%';

        """

    private static let typedProofs = """
        -- `Step.Proof`: its kind, and what the kind says of the detail.
        ALTER TABLE step ADD COLUMN proof TEXT;
        ALTER TABLE step RENAME COLUMN evidence TO proof_detail;
        UPDATE step SET
            proof = CASE
                WHEN proof_detail = 'final dot sent' THEN 'dot-sent'
                WHEN proof_detail = 'not sent' THEN 'not-sent'
                WHEN proof_detail = 'already so' THEN 'unchanged'
                WHEN proof_detail = 'the flags were shown' THEN 'marks-shown'
                WHEN proof_detail IN ('was gone already', 'it was gone already') THEN 'gone'
                WHEN proof_detail = 'kept by the server' THEN 'kept-by-server'
                WHEN proof_detail = 'waits no more' THEN 'wait-ended'
                WHEN proof_detail = 'a person said so' THEN 'user-said'
                WHEN proof_detail = 'seen by the next sync' THEN 'seen-by-sync'
                WHEN proof_detail LIKE 'already in %' THEN 'already-in'
                WHEN proof_detail LIKE 'never left %' THEN 'never-left'
                WHEN proof_detail LIKE 'another program saved it again: that version stays in %' THEN 'saved-again'
                WHEN proof_detail LIKE 'removed %' THEN 'removed'
                WHEN proof_detail LIKE '% stays: another mail has the same file' THEN 'shared'
                WHEN proof_detail LIKE '% was there already' THEN 'file-existed'
                WHEN proof_detail LIKE 'is there already: %' THEN 'task-existed'
                WHEN proof_detail LIKE 'the copy is UID %; the original was removed' THEN 'original-removed'
                WHEN proof_detail LIKE 'found as %' THEN 'found'
                WHEN proof_detail LIKE 'found in % as %' THEN 'found-copy'
                WHEN proof_detail LIKE 'waits until %' THEN 'waits'
                ELSE 'told' END
            WHERE proof_detail IS NOT NULL;
        UPDATE step SET
            proof_detail = CASE proof
                WHEN 'already-in' THEN substr(proof_detail, length('already in ') + 1)
                WHEN 'never-left' THEN substr(proof_detail, length('never left ') + 1)
                WHEN 'saved-again' THEN
                    substr(proof_detail, length('another program saved it again: that version stays in ') + 1)
                WHEN 'removed' THEN substr(proof_detail, length('removed ') + 1)
                WHEN 'shared' THEN replace(proof_detail, ' stays: another mail has the same file', '')
                WHEN 'file-existed' THEN replace(proof_detail, ' was there already', '')
                WHEN 'task-existed' THEN substr(proof_detail, length('is there already: ') + 1)
                WHEN 'original-removed' THEN
                    replace(substr(proof_detail, length('the copy is UID ') + 1), '; the original was removed', '')
                WHEN 'found' THEN substr(proof_detail, length('found as ') + 1)
                WHEN 'found-copy' THEN substr(proof_detail, length('found in ') + 1)
                WHEN 'waits' THEN substr(proof_detail, length('waits until ') + 1)
                ELSE '' END
            WHERE proof <> 'told';

        """

    /// `meta` had keys such as `beyond:work:INBOX`, and `remembered` had rules such as `task reply` followed
    /// by the task id.
    private static let typedKeys = """
        -- `MailboxNotes`.
        ALTER TABLE mailbox ADD COLUMN beyond_window INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE mailbox ADD COLUMN told_uid_next INTEGER;
        ALTER TABLE mailbox ADD COLUMN is_rebinding INTEGER NOT NULL DEFAULT 0 CHECK (is_rebinding IN (0, 1));
        ALTER TABLE mailbox ADD COLUMN is_left_out INTEGER NOT NULL DEFAULT 0 CHECK (is_left_out IN (0, 1));
        ALTER TABLE mailbox ADD COLUMN was_empty INTEGER NOT NULL DEFAULT 0 CHECK (was_empty IN (0, 1));
        CREATE TEMP TABLE place_key AS
            SELECT mailbox.id, ':' || account.name || ':' || CAST(mailbox.name AS TEXT) AS key
            FROM mailbox JOIN account ON account.id = mailbox.account;
        UPDATE mailbox SET
            beyond_window = coalesce((SELECT CAST(value AS INTEGER) FROM place_key JOIN meta
                ON meta.key = 'beyond' || place_key.key WHERE place_key.id = mailbox.id), 0),
            told_uid_next = (SELECT CAST(value AS INTEGER) FROM place_key JOIN meta
                ON meta.key = 'told' || place_key.key WHERE place_key.id = mailbox.id),
            is_rebinding = EXISTS (SELECT 1 FROM place_key JOIN meta
                ON meta.key = 'rebinding' || place_key.key WHERE place_key.id = mailbox.id),
            is_left_out = EXISTS (SELECT 1 FROM place_key JOIN meta
                ON meta.key = 'left-out' || place_key.key WHERE place_key.id = mailbox.id),
            was_empty = EXISTS (SELECT 1 FROM place_key JOIN meta
                ON meta.key = 'emptied' || place_key.key WHERE place_key.id = mailbox.id);
        DROP TABLE place_key;

        -- When the rules with a time of their own last had their turn.
        CREATE TABLE rule_timer (
            account INTEGER NOT NULL REFERENCES account(id),
            rule TEXT NOT NULL,
            ran_at INTEGER NOT NULL,
            PRIMARY KEY (account, rule)
        ) STRICT, WITHOUT ROWID;
        INSERT OR IGNORE INTO rule_timer (account, rule, ran_at)
            SELECT account.id, substr(key, length(account.name) + 8), CAST(value AS INTEGER)
            FROM meta JOIN account ON substr(key, 1, length(account.name) + 7) = 'timer ' || account.name || ' ';
        DROP TABLE meta;

        CREATE TABLE task_notice (
            message INTEGER NOT NULL REFERENCES message(id),
            todo TEXT NOT NULL,
            -- `TaskNotice.Kind`.
            kind TEXT NOT NULL CHECK (kind IN ('reply', 'mail-gone')),
            PRIMARY KEY (message, todo, kind)
        ) STRICT, WITHOUT ROWID;
        INSERT OR IGNORE INTO task_notice (message, todo, kind)
            SELECT message, substr(rule, length('task reply ') + 1), 'reply' FROM remembered
            WHERE rule LIKE 'task reply %';
        INSERT OR IGNORE INTO task_notice (message, todo, kind)
            SELECT message, substr(rule, length('task mail gone ') + 1), 'mail-gone' FROM remembered
            WHERE rule LIKE 'task mail gone %';
        DELETE FROM remembered WHERE rule LIKE 'task reply %' OR rule LIKE 'task mail gone %';
        """
}
