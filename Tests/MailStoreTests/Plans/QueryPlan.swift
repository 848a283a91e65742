import GRDB

/// How SQLite answers a statement, as EXPLAIN QUERY PLAN says it.
struct QueryPlan {
    /// A step of the plan that reads a table from end to end, or all rows of an account, a mailbox or a role.
    struct Fault: Hashable {
        var statement: String
        /// As SQLite prints it: `SCAN message USING INDEX message_date`.
        var step: String
    }

    /// Tables that do not grow with the mail.
    static let small: Set = [
        // As many as the user has, or configured.
        "account", "mailbox", "command_mailbox", "sent_copy", "screener", "rule_timer", "thread_settings",
        "quiet_inbox", "answer_start",
        // What the user said or wrote by hand.
        "thread_edit", "unsubscription", "draft",
        // As many as task files, all of which a command that shows tasks reads.
        "todo_file", "todo_link", "task_notice",
        // As many as the user deferred.
        "deferral", "deferred_list", "rule_deferral",
        // At most one row.
        "unindexed",
        // What is broken, and what waits: emptied by each sync.
        "message_doubt", "conversation_due", "subject_due", "shown_due",
    ]

    /// Indexes over the few rows of a table that wait for something.
    static let smallIndexes: Set = [
        "step_open", "run_progress", "message_unread_subject", "thread_row_due", "todo_link_vanished",
        "placement_shown", "step_submitted", "step_removed", "step_refused", "step_held", "step_deferral",
        "step_saved",
        "step_undoes",
    ]

    /// Columns that have few values: all rows with one of them are a share of the table.
    private static let shares: Set = [
        "account", "mailbox", "shown_mailbox", "role", "is_open", "verb", "state", "cause",
    ]

    private let db: Database
    private let tables: Set<String>

    init(_ db: Database) throws {
        self.db = db
        tables = Set(
            try String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'")
                + ["json_each", "pragma_table_info"])
    }

    func faults(of statement: String) throws -> [Fault] {
        let explained = try db.makeStatement(sql: "EXPLAIN QUERY PLAN " + statement)
        explained.setUncheckedArguments(StatementArguments())
        return try Row.fetchAll(explained).compactMap { row in
            let step: String = row[3]
            return isFault(step, of: statement) ? Fault(statement: statement, step: step) : nil
        }
    }

    private func isFault(_ step: String, of statement: String) -> Bool {
        // The index of words, and lists that a statement is given.
        if step.contains(" VIRTUAL TABLE ") { return step.hasPrefix("SCAN search") && step.hasSuffix(" 0:") }
        if step.contains(" AUTOMATIC ") { return true }
        guard let match = step.prefixMatch(of: /(SCAN|SEARCH) (?:\w+\.)?(\w+)/) else { return false }
        guard let table = table(String(match.2), in: statement), !Self.small.contains(table) else {
            return false
        }
        let index = step.firstMatch(of: /INDEX (\w+)/)?.1
        if let index, Self.smallIndexes.contains(String(index)) { return false }
        guard match.1 == "SEARCH", let given = step.firstMatch(of: /\((.*)\)/)?.1 else { return true }
        let terms = given.split(separator: " AND ")
        let isExact = terms.contains { term in
            guard let column = term.firstMatch(of: /^(\w+|<expr>)=\?$/)?.1 else { return false }
            return !Self.shares.contains(String(column))
        }
        // A range says how much is read; `IS NOT NULL` is a range without an end.
        let hasRange =
            terms.contains { $0.contains("<?") } || given.contains("rowid>?") || given.contains("uid>?")
        return !isExact && !hasRange
    }

    /// nil: the name is that of a subquery, whose own steps are in the plan.
    private func table(_ name: String, in statement: String) -> String? {
        if tables.contains(name) { return name }
        let words = statement.split { !($0.isLetter || $0.isNumber || $0 == "_") }
        for (index, word) in words.enumerated().dropFirst(2) where word == name && words[index - 1] == "AS" {
            let table = String(words[index - 2])
            if tables.contains(table) { return table }
        }
        return nil
    }
}
