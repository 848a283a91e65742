import GRDB
import Models
import Testing

@testable import MailStore

@Suite("Notes about inboxes that the rules leave unchanged")
struct QuietInboxTests {
    /// Tables that rules do not read. `Pipeline`'s tests check this with the statements of a plan.
    static let unread: Set<String> = [
        "quiet_inbox", "place_witness", "message_doubt", "thread_link", "subject_due", "subject_group",
        "shown_due",
        "thread_settings", "thread_row", "search", "word", "word_part", "file_search", "unindexed",
        "file_text_kind", "thread_edit",
        "unplaced", "inbox_count", "queue_halt", "rule_shadowed", "rule_hit", "task_notice", "deferred_list",
        "command_mailbox", "order_origin", "order_home", "screener", "unsubscription",
    ]

    private let folder: StoreFolder
    private let store: Store

    init() throws {
        folder = try StoreFolder()
        store = try folder.open()
        try store.saveUsualMailboxes()
        _ = try store.sync.apply(batch(added: [newMessage("a", uid: 1), newMessage("b", uid: 2)]))
    }

    private let note = QuietNote(basis: "rules", judgedAt: time(5), until: time(9))

    private func noteNow() throws {
        let judgement = try store.rules.beginJudgement(of: work, at: time(5))
        try store.rules.note(note, of: work, judgement: judgement)
        #expect(try store.rules.quietNote(of: work) == note)
    }

    @Test("each table either deletes the notes when it changes, or is listed as not read by rules")
    func tables() throws {
        let all = Set(StoreTable.all.map(\.name))
        #expect(Set(QuietInboxSchema.watches.map(\.table)).union(Self.unread) == all)
        #expect(Set(QuietInboxSchema.watches.map(\.table)).isDisjoint(with: Self.unread))
        let triggers = try store.file.reading { db in
            try String.fetchSet(
                db,
                sql: "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'quiet_inbox%'")
        }
        let wanted = QuietInboxSchema.watches.flatMap { watch in watch.events.map(watch.name) }
        #expect(triggers == Set(wanted))
    }

    @Test("a new message, flag, removal, step or mailbox deletes the note")
    func changes() throws {
        let changes: [(String, () throws -> Void)] = [
            ("message", { _ = try store.sync.apply(batch(added: [newMessage("c", uid: 3)])) }),
            (
                "flag",
                {
                    _ = try store.sync.apply(
                        batch { $0.flagChanges = [MessageMarks(uid: 2, flags: [.seen], keywords: [])] })
                }
            ),
            ("removal", { _ = try store.sync.apply(batch { $0.removed = [1] }) }),
            (
                "step",
                {
                    let step = Step(
                        idempotencyKey: "k", message: id("b"), cause: .rule("r"),
                        kind: .append(
                            to: mailbox("Archive"), message: [65], flags: [], token: MessageID("t@x")))
                    _ = try store.journal.queue(
                        NewRun(account: work, startedAt: time(6), command: "run"), steps: [step])
                }
            ),
            ("mailbox", { try store.sync.saveMailboxes([mailbox("INBOX", .inbox)], of: work) }),
        ]
        for (name, change) in changes {
            try noteNow()
            try change()
            #expect(try store.rules.quietNote(of: work) == nil, "\(name)")
        }
    }

    @Test("a sync without news and a repeated match of a rule that only keeps do not delete the note")
    func nothingNew() throws {
        let hit = RuleHit(rule: "own", message: id("a"))
        try noteNow()
        try store.rules.noteHits([hit], account: work, at: time(6))
        try store.saveUsualMailboxes()
        _ = try store.sync.apply(batch())
        try store.sync.noteSync(of: work, at: time(7))
        #expect(try store.rules.quietNote(of: work) == note)
    }

    @Test("no note is written if another process changes a fact during the judgement")
    func raced() throws {
        let judgement = try store.rules.beginJudgement(of: work, at: time(5))
        let other = try folder.open()
        _ = try other.sync.apply(batch(added: [newMessage("c", uid: 3)]))
        other.close()
        try store.rules.note(note, of: work, judgement: judgement)
        #expect(try store.rules.quietNote(of: work) == nil)
    }

    @Test("of two judgements at the same time, only the later one writes the note")
    func twoJudgements() throws {
        let first = try store.rules.beginJudgement(of: work, at: time(5))
        let second = try store.rules.beginJudgement(of: work, at: time(6))
        try store.rules.note(note, of: work, judgement: first)
        #expect(try store.rules.quietNote(of: work) == nil)
        try store.rules.note(note, of: work, judgement: second)
        #expect(try store.rules.quietNote(of: work) == note)
    }
}
