import MailStore
import Models
import Testing

/// Local first: people and rules see what open steps will have done; a sync does not.
@Suite struct OverlayTests {
    private let folder: StoreFolder
    private let store: Store

    init() throws {
        folder = try StoreFolder()
        store = try folder.open()
        try store.saveUsualMailboxes()
        _ = try store.sync.apply(batch(added: [newMessage("a", uid: 1), newMessage("b", uid: 2)]))
    }

    @Test("a queued move is shown at once, and no longer after a final refusal")
    func moved() throws {
        let step = try queue(move())
        #expect(try shown(.inbox) == ["b"])
        #expect(try shown(.archive) == ["a"])
        #expect(try store.messages.detail(of: id("a"))?.places.map(\.mailbox.displayName) == ["Archive"])
        #expect(try store.list() == ["a@1", "b@2"])
        #expect(try store.messages.places(of: id("a")).map(\.mailbox.displayName) == ["INBOX"])
        #expect(try store.index.search([], account: work, limit: 9).count == 2)

        try store.journal.resolve([StepResult(id: step, state: .rejected, error: "over quota")])
        #expect(try shown(.inbox) == ["a", "b"])
        #expect(try shown(.archive) == [])
    }

    @Test("a move that the user retries is shown again, and stays shown when it is confirmed")
    func retried() throws {
        let step = try queue(move())
        try store.journal.resolve([StepResult(id: step, state: .rejected, error: "over quota")])
        try store.journal.retry([step])
        #expect(try shown(.archive) == ["a"])
        try store.journal.markIssued([step])
        let place = MessageKey(account: work, mailbox: archive, uidValidity: 9, uid: 4)
        try store.journal.resolve([StepResult(id: step, state: .confirmed, movedTo: place)])
        #expect(try shown(.archive) == ["a"])
        #expect(try store.list(archive) == ["a@4"])
    }

    @Test("queued marks are shown at once, and a sync of older marks does not hide them")
    func marked() throws {
        let step = try queue(mark([.flagged]))
        #expect(try flags("a") == [.flagged])
        _ = try store.sync.apply(
            batch { $0.flagChanges = [MessageMarks(uid: 1, flags: [.seen], keywords: [])] })
        #expect(try flags("a") == [.flagged, .seen])
        try store.journal.resolve([StepResult(id: step, state: .rejected, error: "no")])
        #expect(try flags("a") == [.seen])
    }

    @Test("planned steps are not shown")
    func planned() throws {
        var step = move()
        step.state = .planned
        let stepID = try queue(step)
        #expect(try shown(.inbox) == ["a", "b"])
        try store.journal.approve([stepID])
        #expect(try shown(.inbox) == ["b"])
        try store.journal.cancel([stepID])
        #expect(try shown(.inbox) == ["a", "b"])
    }

    @Test("a queued move is still shown after a new UIDVALIDITY")
    func numberedAnew() throws {
        _ = try queue(move())
        _ = try store.sync.apply(
            batch(validity: 8) {
                $0.resetPlacements = true
                $0.placed = [Placement(message: id("a"), uid: 11), Placement(message: id("b"), uid: 12)]
            })
        #expect(try shown(.inbox) == ["b"])
        #expect(try store.list() == ["a@11", "b@12"])
    }

    // MARK: Helpers

    private func shown(_ role: MailboxRole) throws -> [String] {
        try store.messages.facts(.role(work, role)).map(\.id.rawValue).sorted()
    }

    private func flags(_ name: String) throws -> Set<Flag>? {
        try store.messages.facts(.ids([id(name)])).first?.flags
    }

    private var key: MessageKey { MessageKey(account: work, mailbox: .inbox, uidValidity: 7, uid: 1) }

    private func move() -> Step {
        Step(
            idempotencyKey: "move", message: id("a"), cause: .rule("r"),
            kind: .move(key, to: mailbox("Archive", .archive)))
    }

    private func mark(_ flags: Set<Flag>) -> Step {
        Step(
            idempotencyKey: "mark", message: id("a"), cause: .rule("r"),
            kind: .store(key, addFlags: flags, removeFlags: [], addKeywords: [], removeKeywords: []))
    }

    private func queue(_ step: Step) throws -> Int64 {
        let run = NewRun(account: work, startedAt: time(42), command: "test")
        return try #require(try store.journal.queue(run, steps: [step]).queued.first?.id)
    }
}
