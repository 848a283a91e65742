/// Threads as they are shown: joined by subject if no message refers to another, split and joined by the
/// user, with one row per thread for the list of conversations.

enum ThreadSchema {
    static let sql = """
        -- The base subject in eight bytes; 0: it is empty, or the message came through a list; NULL: not read yet.
        ALTER TABLE message ADD COLUMN subject_key INTEGER;
        -- `SubjectMarks`.
        ALTER TABLE message ADD COLUMN subject_marks INTEGER NOT NULL DEFAULT 0;
        -- The beginning of what its writer wrote; NULL: not read yet.
        ALTER TABLE message ADD COLUMN snippet TEXT;
        -- The thread in which it is shown; NULL: that of its identifiers, `thread`.
        ALTER TABLE message ADD COLUMN shown TEXT;
        CREATE INDEX message_unread_subject ON message(account) WHERE subject_key IS NULL;
        CREATE INDEX message_subject ON message(account, subject_key) WHERE subject_key <> 0;
        CREATE INDEX message_shown ON message(shown) WHERE shown IS NOT NULL;

        -- Subjects whose threads are to be compared again.
        CREATE TABLE subject_due (
            account INTEGER NOT NULL REFERENCES account(id),
            subject_key INTEGER NOT NULL,
            PRIMARY KEY (account, subject_key)
        ) STRICT, WITHOUT ROWID;

        -- Threads that are shown with others of their subject. `name`: the least of them.
        CREATE TABLE subject_group (
            account INTEGER NOT NULL REFERENCES account(id),
            thread TEXT NOT NULL,
            subject_key INTEGER NOT NULL,
            name TEXT NOT NULL,
            PRIMARY KEY (account, thread)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX subject_group_key ON subject_group(account, subject_key);
        CREATE INDEX subject_group_name ON subject_group(account, name);

        -- Threads whose messages are to be given their shown thread again.
        CREATE TABLE shown_due (
            account INTEGER NOT NULL REFERENCES account(id),
            thread TEXT NOT NULL,
            PRIMARY KEY (account, thread)
        ) STRICT, WITHOUT ROWID;

        -- With which settings subjects were compared.
        CREATE TABLE thread_settings (
            account INTEGER PRIMARY KEY REFERENCES account(id),
            subjects TEXT NOT NULL,
            days INTEGER NOT NULL
        ) STRICT;

        -- What the user decided: nothing else knows it. Messages are named by EmailID, which is the same in every store.
        -- `other` is '' for a split.
        CREATE TABLE thread_edit (
            kind TEXT NOT NULL CHECK (kind IN ('split', 'join')),
            message TEXT NOT NULL,
            other TEXT NOT NULL DEFAULT '',
            PRIMARY KEY (message, kind, other)
        ) STRICT, WITHOUT ROWID;

        CREATE TRIGGER thread_edit_made AFTER INSERT ON thread_edit BEGIN
            \(edited("NEW"))
        END;
        CREATE TRIGGER thread_edit_undone AFTER DELETE ON thread_edit BEGIN
            \(edited("OLD"))
        END;

        -- One row for each shown thread that has a message in a mailbox.
        CREATE TABLE thread_row (
            account INTEGER NOT NULL REFERENCES account(id),
            thread TEXT NOT NULL,
            -- The date of its newest message.
            latest INTEGER NOT NULL,
            -- 0: it has no message in an inbox.
            in_inbox INTEGER NOT NULL,
            -- 1: a message left it or a mailbox; `latest` may be too late and `in_inbox` too large.
            is_due INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (account, thread)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX thread_row_latest ON thread_row(latest);
        CREATE INDEX thread_row_inbox ON thread_row(latest) WHERE in_inbox = 1;
        CREATE INDEX thread_row_due ON thread_row(account) WHERE is_due = 1;

        INSERT INTO thread_row (account, thread, latest, in_inbox)
            SELECT message.account, thread, max(coalesce(sent, received)), max(coalesce(role, '') = 'inbox')
            FROM placement JOIN message ON message.id = placement.message
                JOIN mailbox ON mailbox.id = coalesce(shown_mailbox, placement.mailbox)
            GROUP BY message.account, thread;

        CREATE TRIGGER thread_row_placed AFTER INSERT ON placement BEGIN
            \(placed)
        END;
        CREATE TRIGGER thread_row_moved AFTER UPDATE OF mailbox, shown_mailbox, message ON placement
        WHEN OLD.mailbox <> NEW.mailbox OR OLD.shown_mailbox IS NOT NEW.shown_mailbox OR OLD.message <> NEW.message
        BEGIN
            \(left)
            \(placed)
        END;
        CREATE TRIGGER thread_row_left AFTER DELETE ON placement BEGIN
            \(left)
        END;
        CREATE TRIGGER thread_row_renamed AFTER UPDATE OF thread, shown ON message
        WHEN coalesce(OLD.shown, OLD.thread) <> coalesce(NEW.shown, NEW.thread) BEGIN
            UPDATE thread_row SET is_due = 1
                WHERE account = OLD.account AND thread = coalesce(OLD.shown, OLD.thread);
            INSERT INTO thread_row (account, thread, latest, in_inbox, is_due)
                VALUES (NEW.account, coalesce(NEW.shown, NEW.thread), coalesce(NEW.sent, NEW.received), 1, 1)
                ON CONFLICT (account, thread) DO UPDATE SET
                    latest = max(latest, excluded.latest), in_inbox = 1, is_due = 1;
        END;
        CREATE TRIGGER thread_row_role AFTER UPDATE OF role ON mailbox WHEN OLD.role IS NOT NEW.role BEGIN
            UPDATE thread_row SET in_inbox = 1, is_due = 1 WHERE account = NEW.account;
        END;
        CREATE TRIGGER subject_due_forgotten AFTER DELETE ON message WHEN OLD.subject_key <> 0 BEGIN
            INSERT OR IGNORE INTO subject_due (account, subject_key) VALUES (OLD.account, OLD.subject_key);
        END;
        """

    /// All threads with the messages of this row must be shown again.
    private static func edited(_ row: String) -> String {
        let named = "message AS named WHERE named.email_id IN (\(row).message, \(row).other)"
        return """
            INSERT OR IGNORE INTO shown_due (account, thread)
                SELECT message.account, message.thread FROM message WHERE message.shown IN (
                    SELECT coalesce(named.shown, named.thread) FROM \(named));
            INSERT OR IGNORE INTO shown_due (account, thread)
                SELECT message.account, message.thread FROM message WHERE message.thread IN (
                    SELECT coalesce(named.shown, named.thread) FROM \(named)
                    UNION SELECT named.thread FROM \(named));
            INSERT OR IGNORE INTO conversation_due (account, thread)
                SELECT named.account, named.thread FROM \(named);
            INSERT OR IGNORE INTO subject_due (account, subject_key)
                SELECT message.account, message.subject_key FROM message
                WHERE message.subject_key <> 0 AND message.thread IN (SELECT named.thread FROM \(named));
            """
    }

    private static let placed = """
        INSERT INTO thread_row (account, thread, latest, in_inbox)
            SELECT account, coalesce(shown, thread), coalesce(sent, received), EXISTS (
                SELECT 1 FROM mailbox
                WHERE mailbox.id = coalesce(NEW.shown_mailbox, NEW.mailbox) AND role = 'inbox')
            FROM message WHERE message.id = NEW.message
            ON CONFLICT (account, thread) DO UPDATE SET
                latest = max(latest, excluded.latest), in_inbox = max(in_inbox, excluded.in_inbox)
                WHERE excluded.latest > latest OR excluded.in_inbox > in_inbox;
        """

    private static let left = """
        UPDATE thread_row SET is_due = 1
            WHERE is_due = 0 AND (account, thread) = (
                SELECT account, coalesce(shown, thread) FROM message WHERE id = OLD.message);
        """
}
