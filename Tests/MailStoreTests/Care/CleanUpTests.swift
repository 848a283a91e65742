import MailStore
import Models
import Testing

/// Messages without a mailbox are removed after a month, unless something still refers to them.
@Suite struct CleanUpTests {
    private let folder: StoreFolder
    private let store: Store
    private let month: Int64 = 30 * 86_400

    init() throws {
        folder = try StoreFolder()
        store = try folder.open()
        try store.saveUsualMailboxes()
        _ = try store.sync.apply(
            batch(added: (1...6).map { newMessage("m\($0)", uid: $0, text: "word\($0)") }))
    }

    @Test("a message is removed thirty days after it left its last mailbox, with its words in the index")
    func thirtyDays() throws {
        _ = try store.sync.apply(batch(archive) { $0.placed = [Placement(message: id("m2"), uid: 1)] })
        _ = try store.sync.apply(batch { $0.removed = [1, 2] })
        #expect(try store.messages.cleanUp(now: time(1_000)) == 0)
        #expect(try store.messages.cleanUp(now: time(1_000 + month - 1)) == 0)
        #expect(try store.messages.detail(of: id("m1"))?.text == "word1")
        #expect(try store.messages.cleanUp(now: time(1_000 + month)) == 1)
        #expect(try store.messages.detail(of: id("m1")) == nil)
        #expect(try store.messages.detail(of: id("m2"))?.places.count == 1)
        #expect(try store.index.search([SearchTerm(.text, "word1")], account: nil, limit: 9) == [])
        #expect(try store.index.search([SearchTerm(.text, "word2")], account: nil, limit: 9) == [id("m2")])
        #expect(try store.integrityCheck() == [])
    }

    @Test("a message with a word too long for the index is removed from the index completely")
    func longWord() throws {
        let word = String(repeating: "x", count: 200) + "needle"
        _ = try store.sync.apply(batch(added: [newMessage("long", uid: 7, text: word)]))
        let mark = SearchTerm(.text, "opuslongword")
        #expect(try store.index.search([mark], account: nil, limit: 9) == [id("long")])
        _ = try store.sync.apply(batch { $0.removed = [7] })
        _ = try store.messages.cleanUp(now: time(1_000))
        #expect(try store.messages.cleanUp(now: time(1_000 + month)) == 1)
        #expect(try store.index.search([mark], account: nil, limit: 9) == [])
        _ = try store.sync.apply(batch(added: [newMessage("again", uid: 8, text: "short")]))
        #expect(try store.index.search([mark], account: nil, limit: 9) == [])
    }

    @Test("a message that comes back and leaves again is kept for another month")
    func again() throws {
        _ = try store.sync.apply(batch { $0.removed = [1] })
        _ = try store.messages.cleanUp(now: time(0))
        _ = try store.sync.apply(batch { $0.placed = [Placement(message: id("m1"), uid: 9)] })
        _ = try store.sync.apply(batch { $0.removed = [9] })
        #expect(try store.messages.cleanUp(now: time(month)) == 0)
        #expect(try store.messages.cleanUp(now: time(2 * month)) == 1)
    }

    @Test(
        "a message that a task, the journal or a rule refers to is kept",
        arguments: ["a task", "the journal", "a rule that may not match twice"])
    func referred(_ referrer: String) throws {
        switch referrer {
        case "a task": try store.todos.linkTodo(TodoID("t"), to: id("m1"), account: work, rule: "r")
        case "the journal": try queue(steps: [step()])
        default: try queue(remembered: [(rule: "r", message: id("m1"))])
        }
        _ = try store.sync.apply(batch { $0.removed = [1, 2] })
        _ = try store.messages.cleanUp(now: time(0))
        #expect(try store.messages.cleanUp(now: time(month)) == 1)
        #expect(try store.messages.cleanUp(now: time(9 * month)) == 0)
        #expect(try store.messages.detail(of: id("m1")) != nil)
    }

    @Test("a deferred message is removed a month after its deferral ended")
    func deferred() throws {
        try store.deferrals.set(id("m1"), account: work, until: .time(time(5)), at: time(1))
        _ = try store.sync.apply(batch { $0.removed = [1] })
        _ = try store.messages.cleanUp(now: time(0))
        #expect(try store.messages.cleanUp(now: time(month)) == 0)
        try store.deferrals.set(id("m1"), account: work, until: nil, at: time(1))
        #expect(try store.messages.cleanUp(now: time(month)) == 0)
        #expect(try store.messages.cleanUp(now: time(2 * month)) == 1)
    }

    @Test("one clean-up removes no more messages than its limit, and the next one continues")
    func bounded() throws {
        _ = try store.sync.apply(batch { $0.removed = [1, 2, 3, 4, 5] })
        _ = try store.messages.cleanUp(now: time(0))
        for count in [2, 2, 1, 0] {
            #expect(try store.messages.cleanUp(now: time(month), limit: 2) == count)
        }
        #expect(try store.list() == ["m6@6"])
    }

    @Test("after a new UIDVALIDITY, only messages without a new place are removed")
    func newUIDs() throws {
        _ = try store.sync.apply(
            batch(validity: 8) {
                $0.resetPlacements = true
                $0.placed = [Placement(message: id("m3"), uid: 1)]
            })
        _ = try store.messages.cleanUp(now: time(0))
        #expect(try store.messages.cleanUp(now: time(month)) == 5)
        #expect(try store.messages.detail(of: id("m3"))?.places.count == 1)
    }

    @Test("a reply to a removed message still joins its conversation, and the message can be added again")
    func comesAgain() throws {
        var root = newMessage("root", uid: 20)
        root.references = [MessageID("root@x")]
        _ = try store.sync.apply(batch(added: [root]))
        _ = try store.sync.apply(batch { $0.removed = [20] })
        _ = try store.messages.cleanUp(now: time(0))
        #expect(try store.messages.cleanUp(now: time(month)) == 1)
        let threads = try store.sync.threads(forIDs: [MessageID("root@x")], account: work)
        #expect(threads == [MessageID("root@x"): ThreadID(rawValue: "root")])
        #expect(try store.sync.apply(batch(added: [root])) == SyncOutcome(added: 1))
    }

    private func step() -> Step {
        let key = MessageKey(account: work, mailbox: .inbox, uidValidity: 7, uid: 1)
        return Step(
            idempotencyKey: "k", message: id("m1"), cause: .rule("r"),
            kind: .move(key, to: mailbox("Archive", .archive)))
    }

    private func queue(
        steps: [Step] = [], remembered: [(rule: String, message: EmailID)] = []
    ) throws {
        _ = try store.journal.queue(
            NewRun(account: work, startedAt: time(1), command: "test"),
            QueuedWork(
                steps: steps,
                remembered: remembered.map { RememberedMatch(rule: $0.rule, message: $0.message) }))
    }
}
