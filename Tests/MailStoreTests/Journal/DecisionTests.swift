import MailStore
import Models
import Testing

/// What a person says about steps, and what it means for those that follow them.
@Suite struct DecisionTests {
    private let folder: StoreFolder
    private let store: Store

    init() throws {
        folder = try StoreFolder()
        store = try folder.open()
        try store.saveUsualMailboxes()
        _ = try store.sync.apply(batch(added: [newMessage("a", uid: 1)]))
    }

    @Test(
        "a retry starts a refused step from the beginning, with the steps that were cancelled with it"
    )
    func retry() throws {
        let ids = try queue(submit("s"), copy("s"))
        try store.journal.markIssued([ids[0]], at: time(50))
        try store.journal.resolve([
            StepResult(id: ids[0], state: .rejected, error: "550 no"),
            StepResult(id: ids[1], state: .cancelled, error: "550 no", hold: .follows),
        ])
        try store.journal.retry([ids[0]])
        let open = try store.journal.openSteps(of: work)
        #expect(open.map(\.idempotencyKey) == ["submit s", "copy s"])
        #expect(open.map(\.state) == [.ready, .ready])
        #expect(open[0].attempts == 0)
        #expect(open[0].error == nil)
        #expect(open[0].triedSince == nil)
        #expect(open[1].kind == copy("s").kind)
    }

    @Test("a step that the user cancelled stays cancelled")
    func cancel() throws {
        let ids = try queue(submit("s"), copy("s"), submit("t"))
        try store.journal.cancel([ids[0]])
        #expect(try store.journal.openSteps(of: work).map(\.idempotencyKey) == ["submit t"])
        #expect(throws: MailStoreError.noSuchTransition(id: ids[0], from: .cancelled, to: .ready)) {
            try store.journal.retry([ids[0]])
        }
    }

    @Test("when the user settles an unknown result, the steps after it continue")
    func settle() throws {
        let ids = try queue(submit("s"), copy("s"))
        try store.journal.resolve([
            StepResult(id: ids[0], state: .needsDecision, error: "?"),
            StepResult(id: ids[1], state: .cancelled, error: "?", hold: .follows),
        ])
        try store.journal.settle(ids[0], as: .confirmed)
        #expect(try store.journal.openSteps(of: work).map(\.idempotencyKey) == ["copy s"])
        let sent = try store.journal.submissions(of: work, in: [.confirmed])
        #expect(sent.map(\.step.proof) == [Step.Proof(.userSaid)])
    }

    @Test("a refused step cannot be retried while a newer one for the same change is queued")
    func askedAgain() throws {
        let ids = try queue(submit("s"))
        try store.journal.resolve([StepResult(id: ids[0], state: .rejected, error: "no")])
        _ = try queue(submit("s"))
        #expect(throws: MailStoreError.queuedAgain(id: ids[0])) { try store.journal.retry([ids[0]]) }
    }

    @Test("after a crash, mail waits for confirmation and everything else continues")
    func crash() throws {
        let ids = try queue(submit("s"), submit("t"), mark())
        try store.journal.markIssued([ids[0]])
        #expect(try store.journal.holdSubmissions(of: work) == 1)
        let open = try store.journal.openSteps(of: work)
        #expect(open.map(\.state) == [.issued, .planned, .ready])
        #expect(open[1].hold == .crash)
        try store.journal.approve([ids[1]])
        #expect(try store.journal.openSteps(of: work).map(\.state) == [.issued, .ready, .ready])
    }

    @Test("only submissions are listed, with their run and time")
    func submissions() throws {
        _ = try queue(mark(), copy("s"), submit("s"), submit("t"))
        let all = try store.journal.submissions(of: work)
        #expect(all.map(\.step.idempotencyKey) == ["submit s", "submit t"])
        #expect(all.map(\.queuedAt) == [time(42), time(42)])
        #expect(all.first?.run.description == "r:0001")
        #expect(all.first?.step.kind == submit("s").kind)
        #expect(try store.journal.submissions(of: work, in: [.confirmed]).isEmpty)
        #expect(try store.journal.submissions(of: AccountID("x")).isEmpty)
    }

    // MARK: Helpers

    private func queue(_ steps: Step...) throws -> [Int64] {
        try store.journal.queue(NewRun(account: work, startedAt: time(42), command: "send"), steps: steps)
            .queued.compactMap(\.id)
    }

    private func submit(_ name: String) -> Step {
        Step(
            idempotencyKey: "submit \(name)", message: nil, cause: .rule("send"),
            kind: .submit(
                reversePath: "me@x.org", forwardPaths: ["a@x.org"], message: [65, 13, 10],
                token: MessageID("\(name)@x")))
    }

    private func copy(_ name: String) -> Step {
        Step(
            idempotencyKey: "copy \(name)", message: nil, cause: .rule("send"),
            kind: .append(
                to: mailbox("Sent", .sent), message: [65, 13, 10], flags: [.seen],
                token: MessageID("\(name)@x")))
    }

    private func mark() -> Step {
        Step(
            idempotencyKey: "mark", message: id("a"), cause: .rule("r"),
            kind: .store(
                MessageKey(account: work, mailbox: .inbox, uidValidity: 7, uid: 1), addFlags: [.seen],
                removeFlags: [], addKeywords: [], removeKeywords: []))
    }
}
