/// Steps of plans that read much on purpose: each is one statement of one command, never of each message, and here is why.
struct Allowance {
    /// Part of the statement.
    var statement: String
    /// The step of the plan, or its beginning.
    var step: String
    var reason: String

    init(_ statement: String, _ step: String, _ reason: String) {
        self.statement = statement
        self.step = step
        self.reason = reason
    }

    func allows(_ fault: QueryPlan.Fault) -> Bool {
        (fault.step == step || step.contains(" USING") && fault.step.hasPrefix(step))
            && fault.statement.contains(statement)
    }

    static let all = [
        Allowance(
            "SELECT NOT EXISTS (SELECT 1 FROM placement WHERE mailbox = ?)",
            "SEARCH placement USING COVERING INDEX",
            "ends at the first row"),
        Allowance(
            "SELECT EXISTS ( SELECT 1 FROM mailbox JOIN placement",
            "SEARCH placement USING COVERING INDEX",
            "ends at the first row"),
        Allowance(
            "SELECT min(received) FROM mailbox CROSS JOIN placement", "SEARCH placement USING PRIMARY KEY",
            "with sync.window only, for a new mailbox, a changed UIDVALIDITY or a rebuild"),
        Allowance(
            "SELECT remote_name FROM mailbox CROSS JOIN placement",
            "SEARCH placement USING COVERING INDEX placement_remote_name",
            "for a Maildir with sync.window, once a sync"),
        Allowance(
            "DELETE FROM run WHERE id", "SCAN run",
            "SQLite looks for runs that name this one; it happens when a command by hand was done before"),
        Allowance(
            "SELECT email_id FROM message ORDER BY email_id",
            "SCAN message USING COVERING INDEX",
            "for the search for an id that was mistyped"),
        Allowance(
            "SELECT wanted.value, (SELECT max(email_id)",
            "SEARCH message USING COVERING INDEX",
            "ends at the first row"),
        Allowance(
            "max(id)",
            "SEARCH message",
            "the last row"),
        Allowance(
            "SELECT former.name FROM account AS former",
            "SEARCH placement USING PRIMARY KEY",
            "ends at the limit; only if the store has an account that opus.yaml lacks"),
        Allowance(
            "SELECT max(id) FROM run",
            "SEARCH run",
            "the last row"),
        Allowance(
            "SELECT max(started_at) FROM run",
            "SEARCH run",
            "for the briefing: runs, not mail"),
        Allowance(
            "SELECT min(started_at) FROM run",
            "SEARCH run",
            "for the age of the rules: runs, not mail"),
        Allowance(
            "SELECT id FROM run WHERE part_of IS NULL ORDER BY id DESC LIMIT",
            "SCAN run",
            "ends at the limit"),
        Allowance(
            "FROM run CROSS JOIN step ON step.run = run.id WHERE run.account",
            "SCAN run",
            "ends at the first run of rules"),
        Allowance(
            "WHERE started_at BETWEEN ?1 AND ?2 AND step.cause = 'rule'",
            "SCAN run",
            "for the briefing: runs, not mail"),
        Allowance(
            "verb = 'list' AND state = 'confirmed'",
            "SCAN step",
            "for the history of senders, the newest first"),
        Allowance(
            "(:account IS NULL OR account",
            "SCAN message",
            "a search of all accounts, for facts that many messages have"),
        Allowance(
            "HAVING count(*) > 1",
            "SCAN message USING COVERING INDEX message_thread",
            "for rules that ask for copies, over the whole account"),
        Allowance(
            "FROM left_inbox CROSS JOIN",
            "SCAN left_inbox",
            "for suggestions of rules"),
        Allowance(
            "SELECT rule FROM remembered UNION",
            "SCAN remembered USING COVERING INDEX",
            "for `opus rules check`"),
        Allowance(
            "SELECT rule FROM remembered UNION",
            "SCAN step USING INDEX step_rule",
            "for `opus rules check`"),
        Allowance(
            "SELECT rule, count(DISTINCT message)",
            "SCAN rule_hit",
            "for the table of rules"),
        Allowance(
            "SELECT rule, count(DISTINCT message)",
            "SEARCH step USING INDEX step_message",
            "for the table of rules"),
        Allowance(
            "FROM rule_shadowed",
            "SCAN rule_shadowed",
            "for the table of rules: runs, not mail"),
        Allowance(
            "SELECT 1 FROM step INDEXED BY step_rule",
            "SCAN step USING INDEX step_rule",
            "ends at the first step that was done"),
        Allowance(
            "FROM step JOIN step AS inverse ON inverse.undoes",
            "SCAN step USING INDEX step_rule",
            "for `opus rules`, over the whole journal"),
        Allowance(
            "FROM step JOIN run ON run.id = step.run WHERE step.state = 'confirmed' AND step.message IS NOT NULL AND verb = 'move'",
            "SCAN step",
            "for suggestions of rules, over the whole journal"),
        Allowance(
            "FROM thread_row WHERE",
            "SCAN thread_row USING COVERING INDEX",
            "the list of conversations: ends at its limit; or their count, from the index alone"),
        Allowance(
            "UPDATE thread_row SET in_inbox = 1",
            "SEARCH thread_row USING PRIMARY KEY",
            "when a mailbox gets another role"),
        Allowance(
            "FROM auto_reply",
            "SEARCH auto_reply USING PRIMARY KEY",
            "people who got an automatic answer, once a run"),
        Allowance(
            "SELECT address FROM correspondent",
            "SEARCH correspondent USING PRIMARY KEY",
            "people the user wrote to, once a run"),
        Allowance(
            "SELECT account, subject_key FROM message WHERE account = ? AND subject_key <> 0",
            "SEARCH message USING COVERING INDEX message_subject",
            "when the settings of threads change"),
        Allowance(
            "message.id <= screener.newest",
            "SEARCH message USING INDEX message_date",
            "for the screener, when a new writer came"),
        Allowance(
            "SELECT addresses FROM message WHERE account = (SELECT id FROM account WHERE name = ?) ORDER BY id",
            "SEARCH message USING INDEX message_date",
            "for the first page of the screener"),
        Allowance(
            "WHERE placement.message = message.id AND flags & ? = 0)",
            "SEARCH message USING INDEX message_date",
            "for rules that count messages of a writer"),
        Allowance(
            "SELECT email_id, addresses, received, max(flags",
            "SEARCH message USING INDEX message_date",
            "for the list of senders"),
        Allowance(
            "SELECT email_id, addresses, received FROM message WHERE account",
            "SEARCH message USING INDEX message_date",
            "for the briefing, once a sender was asked to stop"),
        Allowance(
            "SELECT message_id, addresses, coalesce(sent, received), headers",
            "SEARCH message USING INDEX message_date",
            "for the last days, if a rule answers that the user is away"),
        Allowance(
            "event <> ''",
            "SEARCH message USING INDEX message_event",
            "invitations"),
        Allowance(
            "INSERT INTO mailbox (account, name",
            "SEARCH place_witness USING",
            "a foreign key; only if the number of a mailbox changed, and none does"),
        Allowance(
            "DELETE FROM placement WHERE mailbox = ?",
            "SEARCH placement USING",
            "a mailbox is emptied, or all of it was checked"),
        Allowance(
            "SELECT count(*), coalesce(max(uid), 0) FROM placement",
            "SEARCH placement USING COVERING INDEX",
            "how many messages a mailbox has: one walk over an index"),
        Allowance(
            "INDEXED BY placement_newest",
            "SEARCH placement USING INDEX placement_newest",
            "the newest; ends at the limit"),
        Allowance(
            "WHERE message.id IN (SELECT message FROM placement WHERE mailbox = ?)",
            "SEARCH placement USING PRIMARY KEY",
            "when a mailbox becomes that of sent mail"),
        Allowance(
            "role = 'inbox'",
            "SEARCH placement USING PRIMARY KEY",
            "the inbox"),
        Allowance(
            "SELECT mailbox, uid, coalesce(shown_flags, flags)",
            "SEARCH placement USING PRIMARY KEY",
            "the mailboxes that a run judges or a command shows"),
        Allowance(
            "SELECT mailbox.name, count(*)",
            "SEARCH placement USING PRIMARY KEY",
            "for `opus status`: one walk over the places"),
        Allowance(
            "SELECT message.email_id, uid, flags, keywords, remote_name",
            "SEARCH placement USING PRIMARY KEY",
            "a mailbox is exported, or its drafts are looked up"),
        Allowance(
            "SELECT uid, flags, keywords, remote_name FROM placement",
            "SEARCH placement USING PRIMARY KEY",
            "a mailbox is compared with its source"),
        Allowance(
            "SELECT placement.uid, coalesce(place_witness.size",
            "SEARCH placement USING PRIMARY KEY",
            "a mailbox is compared with its source"),
        Allowance(
            "SELECT rule, email_id FROM ( SELECT message FROM placement",
            "SEARCH placement USING PRIMARY KEY",
            "the mailboxes that a run judges"),
        Allowance(
            "SET own_uid_next",
            "SEARCH placement USING PRIMARY KEY",
            "the last row of a mailbox"),
        Allowance(
            "INSERT INTO mailbox (account, name",
            "SEARCH placement USING",
            "a foreign key; only if the number of a mailbox changed, and none does"),
        Allowance(
            "INSERT INTO mailbox (account, name",
            "SEARCH order_origin USING",
            "a foreign key; only if the number of a mailbox changed, and none does"),
        Allowance(
            "DELETE FROM place_witness WHERE mailbox",
            "SEARCH place_witness USING",
            "a mailbox is emptied, or all of it was checked"),
        Allowance(
            "DELETE FROM place_witness WHERE mailbox",
            "SEARCH placement USING COVERING INDEX placement_newest",
            "a mailbox is emptied, or all of it was checked"),
        Allowance(
            "SELECT EXISTS (SELECT 1 FROM file_text)",
            "SCAN file_text",
            "ends at the first row"),
        Allowance(
            "SELECT message FROM file_text",
            "SCAN file_text",
            "a search that the index of files cannot narrow: one walk over the messages whose files were read"
        ),
        Allowance(
            "SELECT kind FROM file_text_kind",
            "SCAN file_text_kind",
            "a row for each kind of file: fewer than ten"),
        Allowance(
            "SELECT message, attachments FROM file_text",
            "SCAN file_text",
            "only when a program for another kind of file was installed or removed"),
        Allowance(
            "SELECT email_id, size, attachments FROM message",
            "SEARCH message USING INDEX message_with_files",
            "once a sync, where texts of files are read: one walk over the messages that have files"),
        Allowance(
            "AND attachments <> '' ORDER BY coalesce(sent, received) DESC, id DESC",
            "SCAN message USING INDEX message_with_files",
            "a search for mail with files"),
    ]
}
