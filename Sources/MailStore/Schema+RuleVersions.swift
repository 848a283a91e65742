/// What each rule said when a run used it.

extension Schema {
    static let ruleVersions = """
        -- SHA-256 of the rule's text, hex, for every rule that queued a step in the run.
        CREATE TABLE rule_version (
            run INTEGER NOT NULL REFERENCES run(id),
            rule TEXT NOT NULL,
            digest TEXT NOT NULL,
            PRIMARY KEY (run, rule)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX step_rule ON step(rule, run);
        """
}
