import MailStore
import Models
import Testing

@Suite struct JournalTests {
    private let folder: StoreFolder
    private let store: Store

    init() throws {
        folder = try StoreFolder()
        store = try folder.open()
        try store.saveUsualMailboxes()
        var message = newMessage("a", uid: 1, remoteName: "1.a")
        message.flags = [.seen]
        message.keywords = [Keyword("old")]
        _ = try store.sync.apply(batch(added: [message, newMessage("b", uid: 2)]))
        _ = try store.sync.apply(batch(archive, validity: 9, added: [newMessage("c", uid: 5)]))
    }

    /// What is remembered of the messages in the inbox.
    private func remembered() throws -> [String] {
        try store.rules.rememberedMatches(account: work, of: .role(work, .inbox)).flatMap { message, rules in
            rules.map { "\($0) \(message)" }
        }.sorted()
    }

    // MARK: Queue

    @Test("every kind of step is read back as it was queued")
    func kinds() throws {
        let kinds: [Step.Kind] = [
            .createTodo(Todo(id: TodoID("t"), list: .next, summary: "Zoë\0")),
            .updateTodo(TodoID("t"), TodoPatch(status: .completed, due: .instant(time(5)))),
            .append(
                to: mailbox("Drafts", .drafts), message: [0, 255, 13, 10], flags: [.draft, .seen],
                token: MessageID("t@x")),
            .submit(
                reversePath: "me@x.org", forwardPaths: ["a@x.org", "b@x.org"], message: Array(0...255),
                token: MessageID("u@x")),
            .store(
                key(1), addFlags: [.seen], removeFlags: [.flagged], addKeywords: [Keyword("a")],
                removeKeywords: [Keyword("b")]),
            .move(key(1), to: mailbox("Archive", .archive)),
        ]
        let steps = kinds.enumerated().map {
            Step(idempotencyKey: "k\($0)", message: nil, cause: .rule("r"), kind: $1)
        }
        let queued = try store.journal.queue(run(), steps: steps).queued
        #expect(queued.map(\.kind) == kinds)
        #expect(try store.journal.openSteps(of: work) == queued)
    }

    @Test("giving up a step forgets its match and no other")
    func forgets() throws {
        let wish = Step(
            idempotencyKey: "k", message: id("a"), cause: .rule("r"),
            kind: .move(key(1), to: mailbox("Archive", .archive)))
        let queued = try store.journal.queue(
            run(),
            QueuedWork(
                steps: [wish],
                remembered: [("r", "a"), ("r", "b"), ("s", "a")].map {
                    RememberedMatch(rule: $0, message: id($1))
                }))
        let step = try #require(queued.queued.first?.id)
        try store.journal.resolve([StepResult(id: step, state: .rejected, error: "no", forgetsMatch: true)])
        #expect(try remembered() == ["r b", "s a"])
    }

    @Test("a change is queued once, unless it was refused or cancelled")
    func idempotent() throws {
        let wish = step("k1")
        let first = try store.journal.queue(run(), steps: [wish, wish, step("k2")])
        #expect(first.queued.map(\.idempotencyKey) == ["k1", "k2"])
        #expect(first.alreadyQueued == 1)
        #expect(first.isKept)
        let stepID = try #require(first.queued.first?.id)
        for state in [Step.State.issued, .unknown, .reconciling, .needsDecision, .confirmed] {
            try store.journal.resolve([StepResult(id: stepID, state: state)])
            let again = try store.journal.queue(run(), steps: [wish])
            #expect(again.alreadyQueued == 1, "\(state)")
            #expect(!again.isKept)
            #expect(try store.runs.run(again.id) == nil, "a run that does nothing is not in the list")
        }
        let other = try #require(first.queued.last?.id)
        for state in [Step.State.rejected, .cancelled] {
            let again = try store.journal.queue(run(), steps: [step("k3")])
            let id = try #require(again.queued.first?.id)
            try store.journal.resolve([StepResult(id: id, state: state, error: "no")])
        }
        #expect(try store.journal.openSteps(of: work).map(\.id) == [other])
    }

    @Test("a run queues everything or nothing")
    func atomicQueue() throws {
        #expect(throws: MailStoreError.unknownMessage(id("nobody"))) {
            try store.journal.queue(
                run(),
                QueuedWork(
                    steps: [step("k1")], remembered: [RememberedMatch(rule: "r", message: id("a"))],
                    deferrals: [.init(message: id("a"), until: .time(time(5)))],
                    links: [link(id("nobody"))]))
        }
        #expect(try store.journal.openSteps(of: work) == [])
        #expect(try store.runs.runs(limit: 9) == [])
        #expect(try remembered() == [])
        #expect(try store.deferrals.all(account: work) == [])
    }

    @Test("matches, deferrals and links are stored together with the steps")
    func marks() throws {
        try store.deferrals.set(id("b"), account: work, until: .time(time(1)), at: time(1))
        _ = try store.journal.queue(
            run(),
            QueuedWork(
                remembered: [
                    RememberedMatch(rule: "r", message: id("a")),
                    RememberedMatch(rule: "r", message: id("a")),
                ],
                deferrals: [
                    .init(message: id("a"), until: .time(time(5))), .init(message: id("b"), until: nil),
                ],
                links: [link(id("a"))]))
        #expect(try remembered() == ["r a"])
        #expect(try store.rules.rememberedMatches(account: AccountID("x"), of: .ids([id("a")])).isEmpty)
        #expect(try store.deferrals.all(account: work).map(\.message) == [id("a")])
        #expect(try store.deferrals.all(account: work).map(\.until) == [.time(time(5))])
        #expect(try store.todos.links(for: [TodoID("t")])[TodoID("t")]?.message == id("a"))
    }

    private func link(_ message: EmailID) -> QueuedWork.Link {
        .init(todo: TodoID("t"), message: message, thread: ThreadID(rawValue: "a"), rule: "r")
    }

    // MARK: Issue

    @Test("an issued step survives the end of the process, and then has an unknown result")
    func survives() throws {
        let queued = try store.journal.queue(run(), steps: [step("k1"), step("k2")]).queued
        let first = try #require(queued.first?.id)
        try store.journal.markIssued([first])
        store.close()

        let reopened = try folder.open()
        #expect(try reopened.journal.openSteps(of: work).map(\.state) == [.issued, .ready])
        #expect(try reopened.journal.openSteps(of: work).map(\.attempts) == [1, 0])
        #expect(try reopened.journal.recoverIssued(of: AccountID("other")) == 0)
        #expect(try reopened.journal.recoverIssued(of: work) == 1)
        #expect(try reopened.journal.openSteps(of: work).map(\.state) == [.unknown, .ready])
        #expect(try reopened.journal.recoverIssued(of: work) == 0)
        #expect(throws: MailStoreError.stepNotReady(id: first)) { try reopened.journal.markIssued([first]) }
        try reopened.journal.beginReconciling(of: work)
        try reopened.journal.markIssued([first])
        #expect(try reopened.journal.openSteps(of: work).map(\.attempts) == [2, 0])
    }

    @Test(
        "only ready or reconciling steps can be issued",
        arguments: [
            (Step.State.ready, true), (.reconciling, true), (.unknown, false), (.issued, false),
            (.planned, false), (.confirmed, false),
            (.rejected, false), (.needsDecision, false), (.cancelled, false),
        ])
    func issue(_ state: Step.State, _ isAllowed: Bool) throws {
        let queued = try store.journal.queue(run(), steps: [step("k1"), step("k2")]).queued
        let ids = queued.compactMap(\.id)
        try bring(ids[1], to: state)
        if isAllowed {
            try store.journal.markIssued(ids)
        } else {
            #expect(throws: MailStoreError.stepNotReady(id: ids[1])) { try store.journal.markIssued(ids) }
        }
        let first = try store.journal.openSteps(of: work).first
        #expect(first?.state == (isAllowed ? .issued : .ready))
    }

    // MARK: Resolve

    @Test("the store accepts only transitions of the state machine, and an error names both states")
    func transitions() throws {
        for from in Step.State.allCases {
            for to in Step.State.allCases where to != from {
                let name = "\(from.rawValue) \(to.rawValue)"
                let stepID = try #require(
                    try store.journal.queue(run(), steps: [step(name)]).queued.first?.id)
                try bring(stepID, to: from)
                if from.canBecome(to) {
                    try store.journal.resolve([StepResult(id: stepID, state: to)])
                } else {
                    #expect(throws: MailStoreError.noSuchTransition(id: stepID, from: from, to: to)) {
                        try store.journal.resolve([StepResult(id: stepID, state: to)])
                    }
                }
            }
        }
    }

    @Test("if one result is invalid, no result is written")
    func atomicResults() throws {
        let ids = try store.journal.queue(run(), steps: [step("k1"), step("k2")]).queued.compactMap(\.id)
        #expect(throws: MailStoreError.self) {
            try store.journal.resolve([
                StepResult(id: ids[0], state: .confirmed), StepResult(id: ids[1], state: .unknown),
            ])
        }
        #expect(try store.journal.openSteps(of: work).map(\.state) == [.ready, .ready])
    }

    @Test("a final step never changes")
    func final() throws {
        let stepID = try #require(try store.journal.queue(run(), steps: [step("k")]).queued.first?.id)
        try store.journal.markIssued([stepID])
        try store.journal.resolve([StepResult(id: stepID, state: .issued, proof: Step.Proof(.dotSent))])
        #expect(try store.journal.openSteps(of: work).map(\.proof) == [Step.Proof(.dotSent)])
        try store.journal.resolve([StepResult(id: stepID, state: .confirmed)])
        #expect(throws: MailStoreError.noSuchTransition(id: stepID, from: .confirmed, to: .ready)) {
            try store.journal.resolve([
                StepResult(id: stepID, state: .ready, proof: .reported("later"), error: "later")
            ])
        }
        let step = try #require(try store.runs.runsMentioning(id("a")).first?.step)
        #expect(step.state == .confirmed)
        #expect(step.proof == Step.Proof(.dotSent))
        #expect(step.error == nil)
    }

    @Test("a step that was already done does not count as a change by its rule")
    func noChange() throws {
        let changes = {
            try store.runs.runsByRules(
                from: Timestamp(seconds: 0), to: Timestamp(seconds: 1 << 40)
            ).map(\.steps)
        }
        let kind = Step.Kind.move(key(1), to: mailbox("Archive"))
        for proof in Step.Proof.Kind.ofNoChange {
            try confirm(kind) { StepResult(id: $0, state: .confirmed, proof: Step.Proof(proof)) }
        }
        #expect(try changes() == [])
        try confirm(kind) { StepResult(id: $0, state: .confirmed, proof: .reported("COPYUID 1 1 1")) }
        try confirm(kind) { StepResult(id: $0, state: .confirmed) }
        #expect(try changes() == [["r": 1], ["r": 1]])
    }

    @Test("a confirmed change of marks updates the store, with the server's reply if there is one")
    func confirmedStore() throws {
        let kind = Step.Kind.store(
            key(1), addFlags: [.flagged], removeFlags: [.seen], addKeywords: [Keyword("new")],
            removeKeywords: [Keyword("OLD")])
        try confirm(kind) { StepResult(id: $0, state: .rejected, error: "no") }
        #expect(try marks(.inbox, 1)?.flags == [.seen])
        try confirm(kind) { StepResult(id: $0, state: .confirmed) }
        #expect(try marks(.inbox, 1)?.flags == [.flagged])
        #expect(try marks(.inbox, 1)?.keywords == [Keyword("new")])
        try confirm(kind) { StepResult(id: $0, state: .confirmed, flags: [.draft], keywords: []) }
        #expect(try marks(.inbox, 1)?.flags == [.draft])
        #expect(try marks(.inbox, 1)?.keywords == [])
    }

    @Test("a confirmed move takes the marks to the new place")
    func confirmedMove() throws {
        try confirm(.move(key(1), to: mailbox("Archive"))) {
            StepResult(id: $0, state: .confirmed, movedTo: key(6, archive, 9))
        }
        #expect(try store.list() == ["b@2"])
        #expect(try store.list(archive) == ["c@5", "a@6"])
        #expect(try marks(archive, 6)?.flags == [.seen])
        #expect(try marks(archive, 6)?.keywords == [Keyword("old")])
    }

    @Test("after a move without a known destination UID, the next sync finds the new place")
    func moveSomewhere() throws {
        try confirm(.move(key(1), to: mailbox("Archive"))) { StepResult(id: $0, state: .confirmed) }
        #expect(try store.list() == ["b@2"])
        #expect(try store.list(archive) == ["c@5"])
        #expect(try store.messages.detail(of: id("a"))?.places == [])
    }

    @Test("a move in a Maildir gets the next UID and the new file name")
    func maildirMove() throws {
        try confirm(.move(key(1), to: mailbox("Archive"))) {
            StepResult(id: $0, state: .confirmed, movedTo: key(0, archive, 9), remoteName: "1.b")
        }
        #expect(try store.list(archive) == ["c@5", "a@6"])
        #expect(try marks(archive, 6)?.remoteName == "1.b")
    }

    @Test("a move into a mailbox without a sync is known at once")
    func moveToNewMailbox() throws {
        let later = MailboxName("Later")
        try confirm(.move(key(1), to: mailbox("Later"))) {
            StepResult(id: $0, state: .confirmed, movedTo: key(1, later, 33))
        }
        #expect(try store.list(later) == ["a@1"])
        #expect(
            try store.sync.syncState(of: work, mailbox: later)
                == MailboxSyncState(uidValidity: 33, uidNext: 1))
    }

    @Test("a key with an old UIDVALIDITY does not match a place")
    func staleKeys() throws {
        try confirm(.move(key(2, .inbox, 6), to: mailbox("Archive"))) {
            StepResult(id: $0, state: .confirmed, movedTo: key(5, archive, 8))
        }
        #expect(try store.list() == ["b@2"])
        #expect(try store.list(archive) == ["c@5"])
    }

    @Test("a step planned before a new UIDVALIDITY changes the current place of the message")
    func renumbered() throws {
        try confirm(
            .store(
                key(9, .inbox, 6), addFlags: [.flagged], removeFlags: [], addKeywords: [], removeKeywords: [])
        ) { StepResult(id: $0, state: .confirmed) }
        #expect(try marks(.inbox, 1)?.flags == [.seen, .flagged])
        try confirm(.move(key(9, .inbox, 6), to: mailbox("Archive"))) {
            StepResult(id: $0, state: .confirmed, movedTo: key(6, archive, 9))
        }
        #expect(try store.list() == ["b@2"])
        #expect(try marks(archive, 6)?.flags == [.seen, .flagged])
        #expect(try marks(archive, 6)?.keywords == [Keyword("old")])
    }

    @Test("if a message has two places in a renumbered mailbox, a move removes neither")
    func renumberedTwice() throws {
        _ = try store.sync.apply(batch { $0.placed = [Placement(message: id("a"), uid: 3)] })
        try confirm(.move(key(9, .inbox, 6), to: mailbox("Archive"))) {
            StepResult(id: $0, state: .confirmed, movedTo: key(6, archive, 9))
        }
        #expect(try store.list() == ["a@1", "b@2", "a@3"])
        #expect(try store.list(archive) == ["c@5", "a@6"])
    }

    @Test(
        "a move from All Mail to a label keeps the place there; a move to the trash removes it",
        arguments: [false, true])
    func movedOutOfAllMail(_ toTrash: Bool) throws {
        let all = MailboxName("All Mail")
        try store.sync.saveMailboxes([mailbox("All Mail", .all), mailbox("Trash", .trash)], of: work)
        _ = try store.sync.apply(batch(all) { $0.placed = [Placement(message: id("a"), uid: 4)] })
        let destination = toTrash ? mailbox("Trash", .trash) : mailbox("Label")
        try confirm(.move(key(4, all), to: destination)) { StepResult(id: $0, state: .confirmed) }
        #expect(try store.list(all) == (toTrash ? [] : ["a@4"]))
    }

    @Test("the confirmation of a move keeps what an earlier sync found")
    func syncWasFaster() throws {
        _ = try store.sync.apply(batch { $0.removed = [1] })
        _ = try store.sync.apply(
            batch(archive, validity: 9) {
                $0.placed = [Placement(message: id("a"), uid: 6, flags: [.answered])]
            })
        try confirm(.move(key(1), to: mailbox("Archive"))) {
            StepResult(id: $0, state: .confirmed, movedTo: key(6, archive, 9))
        }
        #expect(try store.list(archive) == ["c@5", "a@6"])
        #expect(try marks(archive, 6)?.flags == [.answered])
    }

    @Test("the confirmation of a move keeps the marks of the copy that a sync found first")
    func syncSawTheCopyFirst() throws {
        _ = try store.sync.apply(
            batch { $0.flagChanges = [MessageMarks(uid: 1, flags: [.deleted], keywords: [])] })
        _ = try store.sync.apply(
            batch(archive, validity: 9) {
                $0.placed = [Placement(message: id("a"), uid: 6, flags: [.answered])]
            })
        try confirm(.move(key(1), to: mailbox("Archive"))) {
            StepResult(id: $0, state: .confirmed, movedTo: key(6, archive, 9))
        }
        #expect(try store.list() == ["b@2"])
        #expect(try store.list(archive) == ["c@5", "a@6"])
        #expect(try marks(archive, 6)?.flags == [.answered])
    }

    // MARK: Runs

    @Test("runs are listed with the states of their steps")
    func runs() throws {
        let first = try store.journal.queue(run("triage"), steps: [step("k1"), step("k2", "b")])
        let second = try store.journal.queue(run("task done"), steps: [])
        try store.journal.resolve([StepResult(id: try #require(first.queued.first?.id), state: .confirmed)])
        #expect(try store.runs.runs(limit: 9).map(\.id) == [second.id, first.id])
        #expect(try store.runs.runs(limit: 1).map(\.command) == ["task done"])
        let detail = try #require(try store.runs.run(first.id))
        #expect(detail.summary.states == [.confirmed: 1, .ready: 1])
        #expect(detail.summary.startedAt == time(42))
        #expect(detail.steps.map(\.idempotencyKey) == ["k1", "k2"])
        #expect(try store.runs.run(RunID(rawValue: 99)) == nil)
        #expect(try store.runs.runsMentioning(id("b")).map(\.run) == [first.id])
        #expect(try store.runs.runsMentioning(id("c")).isEmpty)
    }

    // MARK: Helpers

    private func run(_ command: String = "triage") -> NewRun {
        NewRun(account: work, startedAt: time(42), command: command)
    }

    private func step(_ key: String, _ message: String = "a") -> Step {
        Step(
            idempotencyKey: key, message: id(message), cause: .rule("r"),
            kind: .updateTodo(TodoID("t"), TodoPatch(summary: key)))
    }

    private func key(_ uid: UInt32, _ mailbox: MailboxName = .inbox, _ validity: UInt32 = 7) -> MessageKey {
        MessageKey(account: work, mailbox: mailbox, uidValidity: validity, uid: uid)
    }

    /// Goes a way that the state machine has.
    private func bring(_ step: Int64, to state: Step.State) throws {
        let ways: [Step.State: [Step.State]] = [
            .planned: [.planned], .ready: [], .issued: [.issued], .unknown: [.issued, .unknown],
            .reconciling: [.issued, .unknown, .reconciling], .confirmed: [.confirmed], .rejected: [.rejected],
            .needsDecision: [.needsDecision], .cancelled: [.cancelled],
        ]
        for next in ways[state] ?? [] { try store.journal.resolve([StepResult(id: step, state: next)]) }
    }

    /// Queues one step on message `a`, issues it and notes the result.
    private func confirm(_ kind: Step.Kind, _ result: (Int64) -> StepResult) throws {
        let number = try store.runs.runs(limit: 1_000).count
        let step = Step(idempotencyKey: "only \(number)", message: id("a"), cause: .rule("r"), kind: kind)
        let stepID = try #require(try store.journal.queue(run(), steps: [step]).queued.first?.id)
        try store.journal.markIssued([stepID])
        try store.journal.resolve([result(stepID)])
    }

    private func marks(_ mailbox: MailboxName, _ uid: UInt32) throws -> Placement? {
        try store.sync.placements(of: work, mailbox: mailbox).first { $0.uid == uid }
    }
}
