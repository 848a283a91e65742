import MailStore
import Models
import Testing

/// The store remembers the matches of rules forever, and returns them for given messages.
@Suite struct RememberedTests {
    private static let run = NewRun(account: work, startedAt: time(42), command: "triage")
    private static let key = MessageKey(account: work, mailbox: .inbox, uidValidity: 7, uid: 1)
    private let folder: StoreFolder
    private let store: Store

    init() throws {
        folder = try StoreFolder()
        store = try folder.open()
        try store.saveUsualMailboxes()
        _ = try store.sync.apply(batch(added: [newMessage("a", uid: 1), newMessage("b", uid: 2)]))
        _ = try store.sync.apply(batch(archive, validity: 9, added: [newMessage("c", uid: 5)]))
        _ = try store.journal.queue(
            Self.run,
            QueuedWork(
                remembered: [("r", "a"), ("s", "a"), ("r", "b"), ("r", "c"), ("t", "c")].map {
                    RememberedMatch(rule: $0, message: id($1))
                }))
    }

    @Test(
        "remembered matches are returned only for the selected messages",
        arguments: [
            (FactSelection.role(work, .inbox), ["a r", "a s", "b r"]),
            (.role(nil, .archive), ["c r", "c t"]),
            (.mailbox(work, archive), ["c r", "c t"]), (.ids([id("b"), id("x")]), ["b r"]), (.ids([]), []),
            (.role(work, .sent), []), (.everything(work), ["a r", "a s", "b r", "c r", "c t"]),
            (.everything(AccountID("x")), []),
        ])
    func selections(_ selection: FactSelection, _ expected: [String]) throws {
        #expect(try remembered(selection) == expected)
        #expect(try store.rules.rememberedMatches(account: AccountID("x"), of: selection).isEmpty)
    }

    @Test("a remembered match moves with its message, and back when the move is cancelled")
    func follows() throws {
        let move = Step(
            idempotencyKey: "k", message: id("a"), cause: .rule("r"),
            kind: .move(Self.key, to: mailbox("Archive", .archive)))
        let step = try #require(try store.journal.queue(Self.run, steps: [move]).queued.first?.id)
        #expect(try remembered(.role(work, .inbox)) == ["b r"])
        #expect(try remembered(.role(work, .archive)) == ["a r", "a s", "c r", "c t"])
        try store.journal.resolve([StepResult(id: step, state: .cancelled)])
        #expect(try remembered(.role(work, .inbox)) == ["a r", "a s", "b r"])
    }

    @Test(
        "a match of a message in two places is listed once, and one of an unplaced message is found by its id"
    )
    func places() throws {
        var copy = newMessage("a", uid: 6)
        copy.fingerprint = newMessage("a", uid: 1).fingerprint
        _ = try store.sync.apply(batch(archive, validity: 9, added: [copy]))
        #expect(try remembered(.everything(work)) == ["a r", "a s", "b r", "c r", "c t"])
        _ = try store.sync.apply(batch { $0.removed = [2] })
        #expect(try remembered(.everything(work)) == ["a r", "a s", "c r", "c t"])
        #expect(try remembered(.ids([id("b")])) == ["b r"])
    }

    private func remembered(_ selection: FactSelection) throws -> [String] {
        try store.rules.rememberedMatches(account: work, of: selection).flatMap { message, rules in
            rules.map { "\(message) \($0)" }
        }.sorted()
    }
}
