import MailStore
import Models
import Testing

@Suite struct RuleHistoryTests {
    private let folder: StoreFolder
    private let store: MailStore

    init() throws {
        folder = try StoreFolder()
        store = try folder.open()
        try store.saveUsualMailboxes()
    }

    @Test("a message that a step moved out of the inbox has left it, and one that moved elsewhere has not")
    func leftInbox() throws {
        _ = try store.apply(batch(added: [newMessage("a", uid: 1), newMessage("b", uid: 2)]))
        _ = try store.apply(batch(archive, added: [newMessage("c", uid: 1)]))
        try move("a", from: .inbox, uid: 1, to: archive, newUID: 5)
        try move("c", from: archive, uid: 1, to: .inbox, newUID: 3)
        #expect(try store.leftInbox(account: work, since: time(0)) == [id("a")])
        #expect(try store.list(archive) == ["a@5"])
        #expect(try store.list() == ["b@2", "c@3"])
        #expect(try store.integrityCheck() == [])
    }

    @Test("a rule that came too late is counted by messages and by time")
    func shadowed() throws {
        for (at, counts) in [(1 as Int64, ["late": 2]), (5, ["late": 3, "later": 1])] {
            _ = try store.queue(
                NewRun(
                    account: work, startedAt: time(at), command: "run", rulesDigest: "d", shadowed: counts),
                steps: [])
        }
        #expect(try store.shadowedCounts(account: work, since: time(0)) == ["late": 5, "later": 1])
        #expect(try store.shadowedCounts(account: nil, since: time(5)) == ["late": 3, "later": 1])
        #expect(try store.shadowedCounts(account: AccountID("other"), since: time(0)) == [:])
    }

    private func move(
        _ message: String, from: MailboxName, uid: UInt32, to: MailboxName, newUID: UInt32
    ) throws {
        let place = { (name: MailboxName, uid: UInt32) in
            MessageKey(account: work, mailbox: name, uidValidity: 7, uid: uid)
        }
        let destination = Mailbox(account: work, name: to, displayName: to.description)
        let step = Step(
            idempotencyKey: message, message: id(message), rule: "r",
            kind: .move(place(from, uid), to: destination))
        let queued = try store.queue(NewRun(account: work, startedAt: time(1), command: "run"), steps: [step])
        let row = try #require(queued.queued.first?.id)
        try store.resolve([StepResult(id: row, state: .confirmed, movedTo: place(to, newUID))])
    }
}
