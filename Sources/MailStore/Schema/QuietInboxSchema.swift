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

        """
        + (watched.map { triggers(on: $0) } + columns.map { triggers(on: $0.table, columns: $0.names) })
        .joined()

    /// Tables with facts that rules read.
    static let watched = [
        "message", "packed_content", "file_text", "placement", "conversation_due", "correspondent", "run",
        "step",
        "rule_version", "rule_timer", "remembered", "auto_reply", "todo_file", "todo_link", "task_claim",
        "deferral",
        "ended_deferral", "rule_deferral", "sent_copy", "left_inbox", "draft",
    ]

    /// Tables in which every sync writes something, and the columns with facts that rules read.
    static let columns = [
        (table: "account", names: ["name", "moves"]),
        (
            table: "mailbox",
            names: ["account", "name", "display_name", "delimiter", "role", "is_missing", "uid_validity"]
        ),
    ]

    /// Every table whose changes delete the notes.
    static var tables: [String] { watched + columns.map(\.table) }

    /// `columns`: an update of other columns keeps the notes; nil: every update deletes them.
    private static func triggers(on table: String, columns: [String]? = nil) -> String {
        let changed = columns.map { names in
            " AND (" + names.map { "OLD.\($0) IS NOT NEW.\($0)" }.joined(separator: " OR ") + ")"
        }
        return [("insert", ""), ("update", changed ?? ""), ("delete", "")].map { event, condition in
            """
            CREATE TRIGGER quiet_inbox_\(table)_\(event) AFTER \(event.uppercased()) ON \(table)
            WHEN EXISTS (SELECT 1 FROM quiet_inbox)\(condition)
            BEGIN
                DELETE FROM quiet_inbox;
            END;

            """
        }.joined()
    }
}
