import Foundation
import Models
import TestSupport

@testable import MailStore

/// A store in a folder of its own, which goes when the fixture goes.
final class StoreFolder {
    let path: String
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path + "/mail.sqlite"
    }

    func open() throws -> Store { try Store.open(path: path) }
}

let work = AccountID("work")
let archive = MailboxName("Archive")

func id(_ name: String) -> EmailID { EmailID(rawValue: name) }
func time(_ seconds: Int64) -> Timestamp { Timestamp(seconds: seconds) }

func mailbox(_ name: String, _ role: MailboxRole? = nil, account: AccountID = work) -> Mailbox {
    Mailbox(account: account, name: MailboxName(name), displayName: name, delimiter: "/", role: role)
}

func newMessage(
    _ name: String, uid: UInt32, subject: String = "", text: String = "", received: Int64 = 1_000,
    remoteName: String? = nil
) -> NewMessage {
    var message = NewMessage(
        uid: uid, id: id(name), fingerprint: "print-\(name)", thread: ThreadID(rawValue: name),
        received: time(received), size: 100)
    message.headerDigest = "head-\(name)"
    message.subject = subject
    message.text = text
    message.remoteName = remoteName
    return message
}

func batch(
    _ mailbox: MailboxName = .inbox, validity: UInt32 = 7, account: AccountID = work,
    added: [NewMessage] = [],
    _ change: (inout SyncBatch) -> Void = { _ in }
) -> SyncBatch {
    var batch = SyncBatch(account: account, mailbox: mailbox, uidValidity: validity)
    batch.added = added
    change(&batch)
    return batch
}

extension Store {
    /// `name@uid` of everything in the mailbox.
    func list(_ mailbox: MailboxName = .inbox, account: AccountID = work) throws -> [String] {
        try sync.placements(of: account, mailbox: mailbox).map { "\($0.message)@\($0.uid)" }
    }

    func saveUsualMailboxes() throws {
        try sync.saveMailboxes(
            [mailbox("INBOX", .inbox), mailbox("Archive", .archive), mailbox("Sent", .sent)], of: work)
    }
}

/// What makes a store one of an older version again, migration by migration.
enum Downgrade {
    private static let quietInbox =
        QuietInboxSchema.watches.flatMap { watch in watch.events.map { "DROP TRIGGER \(watch.name($0)); " } }
        .joined() + "DROP TABLE quiet_inbox;"

    /// The last migrations, down to that of the first version with ``AnswerStartSchema``.
    static let latest = """
        ALTER TABLE ended_deferral DROP COLUMN set_at;
        DROP INDEX step_held;
        ALTER TABLE screener DROP COLUMN checked;
        ALTER TABLE mailbox DROP COLUMN personal_prefix;
        """

    static let fileTexts = """
        \(latest)
        DROP INDEX step_removed;
        \(quietInbox)
        DROP TABLE answer_start;
        ALTER TABLE deferral DROP COLUMN is_assumed;
        DROP TABLE file_text_kind;
        DROP TABLE queue_halt;
        DROP TABLE file_search;
        DROP INDEX message_with_files;
        DROP TABLE file_text;
        """

    static let endedDeferrals = "DROP TABLE ended_deferral;"

    /// Short headers and texts are kept as they are, behind one byte.
    static let packedContent = """
        DROP VIEW content;
        CREATE TABLE content (
            message INTEGER PRIMARY KEY REFERENCES message(id),
            headers BLOB NOT NULL,
            text TEXT NOT NULL
        ) STRICT;
        INSERT INTO content SELECT message, substr(headers, 2), CAST(substr(text, 2) AS TEXT) FROM packed_content;
        DROP TABLE packed_content;
        """

    static let search = """
        DROP INDEX message_date;
        DROP TABLE unindexed;
        DROP TABLE word_part;
        DROP TABLE word;
        DROP TABLE search;
        CREATE VIEW searchable AS
            SELECT message.id AS id, subject, addresses, text
            FROM message JOIN content ON content.message = message.id;
        CREATE VIRTUAL TABLE search USING fts5(
            subject, addresses, text,
            content = 'searchable', content_rowid = 'id', columnsize = 0,
            tokenize = 'unicode61 remove_diacritics 2'
        );
        INSERT INTO search (search) VALUES ('rebuild');
        """

    static let deferrals = """
        DROP INDEX step_deferral;
        DROP TABLE deferred_list;
        CREATE TABLE deferral_again (
            message INTEGER PRIMARY KEY REFERENCES message(id),
            account INTEGER NOT NULL REFERENCES account(id),
            until INTEGER NOT NULL
        ) STRICT;
        INSERT INTO deferral_again SELECT message, account, until FROM deferral WHERE until IS NOT NULL;
        DROP TABLE deferral;
        ALTER TABLE deferral_again RENAME TO deferral;
        """

    static let threads = """
        DROP TRIGGER subject_due_forgotten;
        DROP TRIGGER thread_row_role;
        DROP TRIGGER thread_row_renamed;
        DROP TRIGGER thread_row_left;
        DROP TRIGGER thread_row_moved;
        DROP TRIGGER thread_row_placed;
        DROP TRIGGER thread_edit_undone;
        DROP TRIGGER thread_edit_made;
        DROP TABLE thread_row;
        DROP TABLE thread_edit;
        DROP TABLE thread_settings;
        DROP TABLE shown_due;
        DROP TABLE subject_group;
        DROP TABLE subject_due;
        DROP INDEX message_shown;
        DROP INDEX message_subject;
        DROP INDEX message_unread_subject;
        ALTER TABLE message DROP COLUMN shown;
        ALTER TABLE message DROP COLUMN snippet;
        ALTER TABLE message DROP COLUMN subject_marks;
        ALTER TABLE message DROP COLUMN subject_key;
        """

    /// The migrations after `messageDoubts`. Timers, notes and notices are lost; `rule` and `evidence` keep what the columns hold.
    static let typedState = """
        DROP INDEX step_submitted;
        DROP INDEX step_refused;
        \(fileTexts)
        \(endedDeferrals)
        \(packedContent)
        \(threads)
        \(search)
        DROP INDEX placement_newest;
        ALTER TABLE placement DROP COLUMN judged;
        DROP TABLE unsubscription;
        DROP TABLE screener;
        DROP TRIGGER order_origin;
        DROP TABLE order_home;
        DROP TABLE order_origin;
        DROP TABLE command_mailbox;
        DROP TABLE rule_deferral;
        DROP INDEX message_event;
        ALTER TABLE message DROP COLUMN event;
        DROP INDEX run_part_of;
        ALTER TABLE run DROP COLUMN part_of;
        \(deferrals)
        DROP TABLE inbox_count;
        DROP INDEX message_message_id;
        DROP TABLE task_notice;
        CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
        DROP TABLE rule_timer;
        ALTER TABLE mailbox DROP COLUMN was_empty;
        ALTER TABLE mailbox DROP COLUMN is_left_out;
        ALTER TABLE mailbox DROP COLUMN is_rebinding;
        ALTER TABLE mailbox DROP COLUMN told_uid_next;
        ALTER TABLE mailbox DROP COLUMN beyond_window;
        ALTER TABLE step RENAME COLUMN proof_detail TO evidence;
        ALTER TABLE step DROP COLUMN proof;
        ALTER TABLE step DROP COLUMN hold;
        DROP INDEX step_rule;
        ALTER TABLE step DROP COLUMN cause;
        CREATE INDEX step_rule ON step(rule, run);
        ALTER TABLE run DROP COLUMN origin;
        """

    /// The migrations after `ruleHits`, the last one first.
    static let trust = """
        \(typedState)
        DROP TABLE message_doubt;
        DROP INDEX step_appended;
        ALTER TABLE draft DROP COLUMN pushed_token;
        ALTER TABLE draft DROP COLUMN versions;
        DROP INDEX run_progress;
        ALTER TABLE run DROP COLUMN asks;
        ALTER TABLE run DROP COLUMN progress;
        DROP TABLE task_claim;
        DROP INDEX todo_link_vanished;
        ALTER TABLE todo_link DROP COLUMN vanished_at;
        ALTER TABLE todo_link DROP COLUMN basis;
        DROP TABLE conversation_due;
        ALTER TABLE message DROP COLUMN conversation;
        DROP TABLE place_witness;
        ALTER TABLE mailbox DROP COLUMN identified_at;
        DROP INDEX message_header;
        ALTER TABLE message DROP COLUMN body_digest;
        ALTER TABLE message DROP COLUMN header_digest;
        ALTER TABLE account DROP COLUMN moves_told;
        ALTER TABLE account DROP COLUMN moves;
        """

    static let stepWords = """
        \(trust)
        DROP TABLE rule_hit;
        ALTER TABLE message DROP COLUMN signed;
        DROP TRIGGER placement_moved_from_inbox;
        DROP TABLE rule_shadowed;
        ALTER TABLE run ADD COLUMN plan BLOB NOT NULL DEFAULT x'';
        DROP INDEX step_saved;
        ALTER TABLE step DROP COLUMN token;
        ALTER TABLE step DROP COLUMN verb;
        """
}
