/// The text of each rule when a run used it, and which messages left an inbox: the basis of rule suggestions.

extension Schema {
    static let ruleHits = """
        -- Messages on which a rule matched that leaves no step, because it only keeps or tells; the first time counts.
        -- Not `remembered`: what only keeps may match again.
        CREATE TABLE rule_hit (
            account INTEGER NOT NULL REFERENCES account(id),
            rule TEXT NOT NULL,
            -- An EmailID; the message itself may be forgotten.
            message TEXT NOT NULL,
            at INTEGER NOT NULL,
            PRIMARY KEY (account, rule, message)
        ) STRICT, WITHOUT ROWID;
        """

    static let ruleVersions = """
        -- SHA-256 of the rule's text, hex, for every rule that queued a step in the run.
        CREATE TABLE rule_version (
            run INTEGER NOT NULL REFERENCES run(id),
            rule TEXT NOT NULL,
            digest TEXT NOT NULL,
            PRIMARY KEY (run, rule)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX step_rule ON step(rule, run);

        -- Messages that stood in an inbox and left it, by whose hand ever.
        CREATE TABLE left_inbox (
            message INTEGER PRIMARY KEY REFERENCES message(id) ON DELETE CASCADE
        ) STRICT;
        CREATE TRIGGER placement_left_inbox AFTER DELETE ON placement
        WHEN (SELECT role FROM mailbox WHERE id = OLD.mailbox) = 'inbox'
        BEGIN
            INSERT OR IGNORE INTO left_inbox (message) VALUES (OLD.message);
        END;
        """
}
