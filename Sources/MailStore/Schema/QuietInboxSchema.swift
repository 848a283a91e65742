/// Inboxes in which the rules had nothing to do. The note of an inbox is true as long as nothing has changed that rules
/// read, so triggers delete the notes in the transaction of such a change, whatever code makes it.

enum QuietInboxSchema {
    static let sql =
        """
        CREATE TABLE quiet_inbox (
            account INTEGER PRIMARY KEY REFERENCES account(id),
            -- A random number of the judgement.
            judgement INTEGER NOT NULL,
            -- Identifies the program, its settings and the rules; NULL: the inbox is being judged.
            basis TEXT,
            -- The clock of the judgement, and the time at which the rules may decide differently; NULL: never.
            judged_at INTEGER NOT NULL,
            until INTEGER
        ) STRICT;

        """ + firstWatches.map(\.triggers).joined()

    /// A table with facts that rules read.
    struct Watch {
        var table: String
        var events = ["insert", "update", "delete"]
        /// An update of other columns keeps the notes; empty: every update deletes them.
        var columns: [String] = []

        /// The name of the trigger for an event.
        func name(_ event: String) -> String { "quiet_inbox_\(table)_\(event)" }

        var triggers: String { events.map(trigger).joined() }

        private func trigger(_ event: String) -> String {
            let changes = event == "update" ? columns.map { "OLD.\($0) IS NOT NEW.\($0)" } : []
            let changed = changes.isEmpty ? "" : " AND (" + changes.joined(separator: " OR ") + ")"
            return """
                CREATE TRIGGER \(name(event)) AFTER \(event.uppercased()) ON \(table)
                WHEN EXISTS (SELECT 1 FROM quiet_inbox)\(changed)
                BEGIN
                    DELETE FROM quiet_inbox;
                END;

                """
        }
    }

    /// Those of this migration, and of later ones.
    static let watches = firstWatches + [answerStarts]

    static let answerStarts = Watch(table: "answer_start")

    private static let firstWatches =
        [
            // Every sync writes times into these two. A new account changes nothing for the others.
            Watch(table: "account", events: ["update", "delete"], columns: ["name", "moves"]),
            Watch(
                table: "mailbox",
                columns: [
                    "account", "name", "display_name", "delimiter", "role", "is_missing", "uid_validity",
                ]),
            // A new message gets its place, and a new run its steps, in the same transaction. With a trigger for
            // the new row itself, SQLite would search each table that can refer to it.
            Watch(table: "message", events: ["update", "delete"]),
            Watch(table: "run", events: ["update", "delete"], columns: ["account", "started_at", "origin"]),
        ]
        + [
            "packed_content", "file_text", "placement", "conversation_due", "correspondent", "step",
            "rule_version", "rule_timer", "remembered", "auto_reply", "todo_file", "todo_link", "task_claim",
            "deferral", "ended_deferral", "rule_deferral", "sent_copy", "left_inbox", "draft",
        ].map { Watch(table: $0) }
}
