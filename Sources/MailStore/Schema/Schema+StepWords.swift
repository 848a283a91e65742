/// The properties of a step that SQL needs have columns, so its kind may be stored in any form. A move inside
/// the table of places leaves the same trace as a removal. A run stores only the parts of its plan that its
/// steps do not contain.

extension Schema {
    static let stepWords = """
        -- The name of the step's kind, and the Message-ID of a mail of our own.
        ALTER TABLE step ADD COLUMN verb TEXT NOT NULL DEFAULT '';
        ALTER TABLE step ADD COLUMN token TEXT;
        UPDATE step SET
            verb = coalesce((SELECT key FROM json_each(CAST(kind AS TEXT))), ''),
            token = (SELECT value ->> '$.token' FROM json_each(CAST(kind AS TEXT)));
        CREATE INDEX step_saved ON step(id) WHERE verb = 'saveFile';

        -- On how many messages of the run an earlier rule or a protection came before the rule.
        CREATE TABLE rule_shadowed (
            run INTEGER NOT NULL REFERENCES run(id),
            rule TEXT NOT NULL,
            messages INTEGER NOT NULL,
            PRIMARY KEY (run, rule)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO rule_shadowed (run, rule, messages)
            SELECT run.id, shadowed.value ->> '$.rule', count(DISTINCT item.key)
            FROM run, json_each(
                    CASE WHEN json_valid(CAST(run.plan AS TEXT)) THEN CAST(run.plan AS TEXT) ELSE '{}' END,
                    '$.plan.items') AS item,
                json_each(item.value, '$.shadowed') AS shadowed
            WHERE run.rules_digest <> '' AND shadowed.value ->> '$.rule' IS NOT NULL
            GROUP BY 1, 2;
        ALTER TABLE run DROP COLUMN plan;

        CREATE TRIGGER placement_moved_from_inbox AFTER UPDATE OF mailbox ON placement
        WHEN OLD.mailbox <> NEW.mailbox AND (SELECT role FROM mailbox WHERE id = OLD.mailbox) = 'inbox'
        BEGIN
            INSERT OR IGNORE INTO left_inbox (message) VALUES (OLD.message);
        END;
        """
}
