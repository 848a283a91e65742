import MailStore
import Models
import Testing

/// Runs that have many parts, as a session has: what is asked of one part says nothing of the others.
@Suite("Runs and their parts")
struct RunStoreTests {
    private let folder: StoreFolder
    private let store: Store

    init() throws {
        folder = try StoreFolder()
        store = try folder.open()
        try store.saveUsualMailboxes()
    }

    /// One part with one step.
    private func part(
        _ key: String, of run: RunID? = nil, undoing step: Int64? = nil, in undone: RunID? = nil
    )
        throws -> QueuedRun
    {
        var new = NewRun(account: work, startedAt: time(1), command: "inbox", undoes: undone)
        new.partOf = run
        var move = Step(
            idempotencyKey: key, message: id("a"), cause: .hand("move"),
            kind: .move(
                MessageKey(account: work, mailbox: .inbox, uidValidity: 7, uid: 1),
                to: Mailbox(account: work, name: archive, displayName: "Archive")))
        move.undoes = step
        return try store.journal.queue(new, steps: [move])
    }

    @Test("a part of a run is read with its own steps and the id of the whole run")
    func parts() throws {
        _ = try store.sync.apply(batch(added: [newMessage("a", uid: 1)]))
        let first = try part("one")
        let second = try part("two", of: first.id)
        let third = try part("three", of: first.id)
        let some = try #require(try store.runs.run(first.id, only: [third.id]))
        #expect(some.summary.id == first.id && some.summary.states == [.ready: 1])
        #expect(some.parts.map(\.id) == [third.id] && some.steps.map(\.id) == third.queued.map(\.id))
        #expect(try store.runs.run(second.id)?.steps.count == 3)
        #expect(try store.runs.run(first.id, only: []) == nil)
        #expect(try store.runs.wholeRun(of: third.id) == first.id)
        #expect(try store.runs.wholeRun(of: RunID(rawValue: 99)) == nil)
    }

    @Test("a step counts as undone until its undo is cancelled")
    func undone() throws {
        _ = try store.sync.apply(batch(added: [newMessage("a", uid: 1)]))
        let run = try part("one")
        let other = try part("two", of: run.id)
        let (row, otherRow) = (try #require(run.queued[0].id), try #require(other.queued[0].id))
        let undo = try part("undo", undoing: row, in: run.id)
        #expect(try store.runs.undone(of: [row, otherRow]) == [row: undo.id])
        #expect(try store.runs.undone(in: run.id) == [row: undo.id])
        try store.journal.resolve([StepResult(id: try #require(undo.queued[0].id), state: .cancelled)])
        #expect(try store.runs.undone(of: [row, otherRow]).isEmpty)
        #expect(try store.runs.undone(in: run.id).isEmpty)
    }
}
