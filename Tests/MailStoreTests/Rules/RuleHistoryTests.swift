import Foundation
import GRDB
import Models
import Testing

@testable import MailStore

@Suite struct RuleHistoryTests {
    private let folder: StoreFolder
    private let store: Store

    init() throws {
        folder = try StoreFolder()
        store = try folder.open()
        try store.saveUsualMailboxes()
    }

    @Test("a message that a step moved out of the inbox counts as having left it")
    func leftInbox() throws {
        _ = try store.sync.apply(batch(added: [newMessage("a", uid: 1), newMessage("b", uid: 2)]))
        _ = try store.sync.apply(batch(archive, added: [newMessage("c", uid: 1)]))
        try move("a", from: .inbox, uid: 1, to: archive, newUID: 5)
        try move("c", from: archive, uid: 1, to: .inbox, newUID: 3)
        #expect(try store.rules.leftInbox(account: work, since: time(0)) == [id("a")])
        #expect(try store.list(archive) == ["a@5"])
        #expect(try store.list() == ["b@2", "c@3"])
        #expect(try store.integrityCheck() == [])
    }

    @Test("a rule answers since it was first noted; a rule that is left out once starts again")
    func answerStarts() throws {
        let other = AccountID("other")
        try store.sync.saveMailboxes([], of: other)
        func note(_ rules: Set<String>, _ at: Int64, of account: AccountID = work) throws -> [String:
            Timestamp]
        {
            try store.rules.noteAnswerStarts(rules, of: account, at: time(at))
            return try store.rules.answerStarts(of: account)
        }
        #expect(try note(["away"], 5) == ["away": time(5)])
        #expect(try note(["away", "trip"], 7) == ["away": time(5), "trip": time(7)])
        #expect(try note(["away"], 8, of: other) == ["away": time(8)])
        #expect(try note(["trip"], 9) == ["trip": time(7)])
        #expect(try note(["away", "trip"], 10) == ["away": time(10), "trip": time(7)])
        #expect(try note(["away", "trip"], 6) == ["away": time(6), "trip": time(6)], "the clock was wrong")
        #expect(try note([], 11).isEmpty)
        #expect(try store.rules.answerStarts(of: other) == ["away": time(8)])
    }

    @Test("a rule that an earlier version applied answers since its last answer")
    func earlierAnswers() throws {
        store.close()
        try DatabaseQueue(path: folder.path).write { db in
            try db.execute(
                sql: """
                    \(Downgrade.latest)
                    DROP TABLE answer_start;
                    INSERT INTO auto_reply (account, rule, sender, at)
                        SELECT id, 'away', 'bob@x.org', 5 FROM account;
                    INSERT INTO auto_reply (account, rule, sender, at)
                        SELECT id, 'away', 'eve@x.org', 7 FROM account;
                    PRAGMA user_version = \(try #require(Schema.migrations.firstIndex(of: AnswerStartSchema.sql)));
                    """)
        }
        #expect(try folder.open().rules.answerStarts(of: work) == ["away": Timestamp(seconds: 7)])
    }

    @Test("rules that came too late are counted by messages and by time")
    func shadowed() throws {
        for (at, counts) in [(1 as Int64, ["late": 2]), (5, ["late": 3, "later": 1])] {
            _ = try store.journal.queue(
                NewRun(
                    account: work, startedAt: time(at), command: "run", origin: .rules(digest: "d"),
                    shadowed: counts),
                steps: [])
        }
        #expect(try store.rules.shadowedCounts(account: work, since: time(0)) == ["late": 5, "later": 1])
        #expect(try store.rules.shadowedCounts(account: nil, since: time(5)) == ["late": 3, "later": 1])
        #expect(try store.rules.shadowedCounts(account: AccountID("other"), since: time(0)) == [:])
    }

    private func hits(_ account: AccountID? = work, since: Int64 = 0) throws -> [String: Int] {
        try store.rules.ruleHits(account: account, since: time(since)).mapValues(\.messages)
    }

    @Test("a match of a rule that only keeps or notifies counts once per message, and is not remembered")
    func hits() throws {
        _ = try store.sync.apply(batch(added: [newMessage("a", uid: 1), newMessage("b", uid: 2)]))
        let own = RuleHit(rule: "own", message: id("a"))
        _ = try store.journal.queue(
            NewRun(
                account: work, startedAt: time(10), command: "run", origin: .rules(digest: "d"),
                hits: [own, own]),
            steps: [])
        #expect(try hits() == ["own": 1])
        try store.rules.noteHits([own, RuleHit(rule: "own", message: id("b"))], account: work, at: time(20))
        try store.rules.noteHits([RuleHit(rule: "stays", message: id("gone"))], account: work, at: time(30))
        #expect(try hits() == ["own": 2, "stays": 1])
        #expect(try hits(nil) == ["own": 2, "stays": 1])
        #expect(try hits(since: 11) == ["own": 1, "stays": 1], "the first time is the one that counts")
        #expect(try store.rules.ruleHits(account: work, since: nil)["own"]?.last == time(20))
        #expect(try hits(AccountID("other")).isEmpty)
        #expect(try store.rules.rememberedMatches(account: work, of: .ids([id("a"), id("b")])).isEmpty)
        #expect(try store.rules.everMatchedRules().isEmpty)
    }

    @Test("a message that a rule both changed and reported counts once")
    func hitsAndSteps() throws {
        _ = try store.sync.apply(batch(added: [newMessage("a", uid: 1), newMessage("b", uid: 2)]))
        let key = MessageKey(account: work, mailbox: .inbox, uidValidity: 7, uid: 1)
        let step = Step(
            idempotencyKey: "k", message: id("a"), cause: .rule("r"),
            kind: .store(key, addFlags: [.flagged], removeFlags: [], addKeywords: [], removeKeywords: []))
        let run = NewRun(
            account: work, startedAt: time(1), command: "run", origin: .rules(digest: "d"),
            hits: [RuleHit(rule: "r", message: id("a")), RuleHit(rule: "r", message: id("b"))])
        let queued = try store.journal.queue(run, steps: [step])
        let row = try #require(queued.queued.first?.id)
        try store.journal.resolve([StepResult(id: row, state: .confirmed)])
        #expect(try hits() == ["r": 2])
    }

    @Test("storing the same matches again writes nothing")
    func hitsWriteOnce() throws {
        _ = try store.sync.apply(batch(added: [newMessage("a", uid: 1)]))
        let own = [RuleHit(rule: "own", message: id("a"))]
        try store.rules.noteHits(own, account: work, at: time(10))
        let before = try Data(contentsOf: URL(filePath: folder.path + "-wal"))
        try store.rules.noteHits(own, account: work, at: time(20))
        try store.rules.noteHits([], account: work, at: time(20))
        #expect(try Data(contentsOf: URL(filePath: folder.path + "-wal")) == before)
        try store.rules.noteHits([RuleHit(rule: "two", message: id("a"))], account: work, at: time(20))
        #expect(try Data(contentsOf: URL(filePath: folder.path + "-wal")) != before)
    }

    private func move(
        _ message: String, from: MailboxName, uid: UInt32, to: MailboxName, newUID: UInt32
    ) throws {
        let place = { (name: MailboxName, uid: UInt32) in
            MessageKey(account: work, mailbox: name, uidValidity: 7, uid: uid)
        }
        let destination = Mailbox(account: work, name: to, displayName: to.description)
        let step = Step(
            idempotencyKey: message, message: id(message), cause: .hand("move"),
            kind: .move(place(from, uid), to: destination))
        let queued = try store.journal.queue(
            NewRun(account: work, startedAt: time(1), command: "run"), steps: [step])
        let row = try #require(queued.queued.first?.id)
        try store.journal.resolve([StepResult(id: row, state: .confirmed, movedTo: place(to, newUID))])
    }
}
