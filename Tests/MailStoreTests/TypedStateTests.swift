import Foundation
import GRDB
import MailStore
import Models
import Testing

/// A store of schema 21 kept state in sentences and composed keys. Each of them is translated once, when it is opened.
@Suite struct TypedStateTests {
    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    @Test(
        "every old sentence of evidence becomes a typed proof with the same meaning",
        arguments: [
            ("final dot sent", .init(.dotSent), nil), ("not sent", .init(.notSent), nil),
            ("already so", .init(.unchanged), "already done"),
            ("the flags were shown", .init(.marksShown), nil),
            ("was gone already", .init(.gone), "already gone"),
            ("it was gone already", .init(.gone), "already gone"),
            ("kept by the server", .init(.keptByServer), nil),
            ("waits no more", .init(.waitEnded), "no longer deferred"),
            ("a person said so", .init(.userSaid), "you confirmed it"),
            ("seen by the next sync", .init(.seenBySync), nil),
            ("already in Archive", .init(.alreadyIn, "Archive"), nil),
            ("never left INBOX", .init(.neverLeft, "INBOX"), nil),
            (
                "another program saved it again: that version stays in Drafts", .init(.savedAgain, "Drafts"),
                nil
            ),
            ("removed next/t1.ics", .init(.removed, "next/t1.ics"), nil),
            ("Papers/a.pdf stays: another mail has the same file", .init(.shared, "Papers/a.pdf"), nil),
            ("Papers/a.pdf was there already", .init(.fileExisted, "Papers/a.pdf"), nil),
            ("is there already: next/t1.ics", .init(.taskExisted, "next/t1.ics"), nil),
            ("the copy is UID 5; the original was removed", .init(.originalRemoved, "5"), nil),
            ("found as UID 5", .init(.found, "UID 5"), nil),
            ("found in Sent as UID 5", .init(.foundCopy, "Sent as UID 5"), nil),
            ("waits until 2026-03-10T09:30:00Z", .init(.waits, "2026-03-10T09:30:00Z"), nil),
            ("COPYUID 17 5 12", .reported("COPYUID 17 5 12"), nil),
            ("250 2.0.0 queued", .reported("250 2.0.0 queued"), nil),
            ("next/t1.ics", .reported("next/t1.ics"), nil),
        ] as [(String, Step.Proof, String?)])
    func proofs(_ old: String, _ proof: Step.Proof, _ sentence: String?) throws {
        try make { try $0.execute(sql: "UPDATE step SET evidence = ?", arguments: [old]) }
        let step = try #require(try folder.open().runs.run(RunID(rawValue: 1))?.steps.first)
        #expect(step.proof == proof)
        #expect(step.proof?.sentence == sentence ?? old)
    }

    @Test("every kind of proof except server replies has its own sentence")
    func sentences() {
        let sentences = Step.Proof.Kind.allCases.filter { $0 != .reported }.map {
            Step.Proof($0, "x").sentence
        }
        #expect(Set(sentences).count == sentences.count)
        #expect(!sentences.contains(""))
    }

    @Test(
        "every old sentence about the next action becomes a hold",
        arguments: [
            ("cancelled", "held back: 550 no", .follows, "550 no", "held back: 550 no"),
            (
                "cancelled", "held back: what it follows was taken back", .follows, nil,
                "cancelled with the step before it"
            ),
            (
                "cancelled", "taken back before it happened", .undone, nil, "undone before it happened"
            ),
            (
                "planned", "opus ended in the middle of the last run; nothing more is sent without a word",
                .crash, nil,
                "opus ended in the middle of the last run; sending is paused until you confirm"
            ),
            (
                "rejected", "held back: by the server", nil, "held back: by the server",
                "held back: by the server"
            ),
            ("planned", nil, nil, nil, nil),
        ] as [(String, String?, Step.Hold?, String?, String?)])
    func holds(_ state: String, _ old: String?, _ hold: Step.Hold?, _ error: String?, _ reason: String?)
        throws
    {
        try make {
            try $0.execute(sql: "UPDATE step SET state = ?, error = ?", arguments: [state, old])
        }
        let step = try #require(try folder.open().runs.run(RunID(rawValue: 1))?.steps.first)
        #expect(step.hold == hold)
        #expect(step.error == error)
        #expect(step.reason == reason)
    }

    @Test(
        "the old text of a rule, a verb or an internal name becomes a cause",
        arguments: [
            ("work", "d", "pay", .rule("pay")), ("work", "d", "undo", .rule("undo")),
            ("work", "", "archive", .hand("archive")), ("work", "", "send", .hand("send")),
            ("work", "", "undo", .undo), ("work", "", "deferral", .deferral),
            ("work", "", "task reply", .reply), ("work", "", "task from", .hand("task from")),
            ("(tasks)", "", "task done", .hand("task done")), ("(tasks)", "", "undo", .undo),
        ] + TaskChange.allCases.map { ("work", "", $0.rawValue, .task($0)) }
            as [(String, String, String, Step.Cause)])
    func causes(_ account: String, _ digest: String, _ old: String, _ cause: Step.Cause) throws {
        try make(AccountID(account)) {
            try $0.execute(sql: "UPDATE run SET rules_digest = ?", arguments: [digest])
            try $0.execute(sql: "UPDATE step SET rule = ?", arguments: [old])
        }
        let run = try #require(try folder.open().runs.run(RunID(rawValue: 1)))
        #expect(run.summary.origin == (digest.isEmpty ? .hand : .rules(digest: digest)))
        #expect(run.steps.map(\.cause) == [cause])
        #expect(run.steps.map(\.cause.name) == [old])
    }

    @Test("composed keys become columns and tables")
    func keys() throws {
        try make { db in
            for (key, value) in [
                ("beyond:work:INBOX", "12"), ("told:work:INBOX", "7"), ("rebinding:work:Archive", "1"),
                ("left-out:work:Archive", "1"), ("emptied:work:Archive", "seen"), ("beyond:other:INBOX", "3"),
                ("timer work weekly", "500"), ("timer work every day", "600"),
            ] {
                try db.execute(sql: "INSERT INTO meta VALUES (?, ?)", arguments: [key, value])
            }
            for rule in ["task reply t1", "task mail gone t2", "pay"] {
                try db.execute(
                    sql: "INSERT INTO remembered SELECT account, ?, id FROM message", arguments: [rule])
            }
        }
        let store = try folder.open()
        var inbox = MailboxNotes()
        inbox.beyondWindow = 12
        inbox.reportedUIDNext = 7
        var other = MailboxNotes()
        other.isRebinding = true
        other.isLeftOut = true
        other.wasEmpty = true
        #expect(try store.sync.notes(of: work, mailbox: .inbox) == inbox)
        #expect(try store.sync.notes(of: work, mailbox: archive) == other)
        #expect(try store.sync.notes(of: work, mailbox: MailboxName("Sent")) == MailboxNotes())
        #expect(try store.rules.timers(of: work) == ["weekly": time(500), "every day": time(600)])
        #expect(try store.rules.rememberedMatches(account: work, of: .ids([id("a")])) == [id("a"): ["pay"]])
        store.close()
        let notices = try raw { db in
            try String.fetchAll(db, sql: "SELECT kind || ' ' || todo FROM task_notice ORDER BY todo")
        }
        #expect(notices == ["reply t1", "mail-gone t2"])
        #expect(try folder.open().integrityCheck() == [])
    }

    @Test("notes about a mailbox are stored, and storing the same notes again writes nothing")
    func notes() throws {
        let store = try folder.open()
        try store.saveUsualMailboxes()
        try store.sync.changeNotes(of: work, mailbox: .inbox) { $0.reportedUIDNext = 9 }
        let before = try Data(contentsOf: URL(filePath: folder.path + "-wal"))
        try store.sync.changeNotes(of: work, mailbox: .inbox) { $0.reportedUIDNext = 9 }
        #expect(try Data(contentsOf: URL(filePath: folder.path + "-wal")) == before)
        #expect(try store.sync.notes(of: work, mailbox: .inbox).reportedUIDNext == 9)
    }

    /// A store of schema 21 with one step, changed behind the program's back.
    private func make(_ account: AccountID = work, _ change: (Database) throws -> Void) throws {
        let store = try folder.open()
        try store.saveUsualMailboxes()
        _ = try store.sync.apply(batch(added: [newMessage("a", uid: 1)]))
        let key = MessageKey(account: work, mailbox: .inbox, uidValidity: 7, uid: 1)
        let step = Step(
            idempotencyKey: "k", message: id("a"), cause: .rule("r"),
            kind: .move(key, to: mailbox("Archive", .archive)))
        _ = try store.journal.queue(
            NewRun(account: account, startedAt: time(1), command: "run"), steps: [step])
        store.close()
        try raw { db in
            try db.execute(sql: "\(Downgrade.typedState) PRAGMA user_version = 21")
            try change(db)
        }
    }

    private func raw<T>(_ body: (Database) throws -> T) throws -> T {
        let queue = try DatabaseQueue(path: folder.path)
        defer { try? queue.close() }
        return try queue.writeWithoutTransaction(body)
    }
}
