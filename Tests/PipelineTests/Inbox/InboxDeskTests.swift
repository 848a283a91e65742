import Models
import TestSupport
import Testing

@testable import Pipeline

/// What the session decides goes through the journal, as one run, and comes back.
@Suite("Inbox: the desk")
struct InboxDeskTests {
    private let account = AccountID("work")

    /// A session with its desk; `body` gets the items and gives orders.
    private func session(
        _ work: Workplace,
        _ body: (Session, InboxDesk, inout InboxModel, Locked<[InboxNews]>) async throws -> Void
    ) async throws {
        try await Session.with(work.options(), .reading) { session in
            _ = try await session.sync.account(account)
            let news = Locked<[InboxNews]>([])
            let desk = session.inboxDesk { item in news.change { $0.append(item) } }
            var model = InboxModel(items: try session.inbox.items(account: nil, matching: nil))
            try await withThrowingTaskGroup { group in
                group.addTask { await desk.work() }
                do {
                    try await body(session, desk, &model, news)
                } catch {
                    desk.finish()
                    throw error
                }
                desk.finish()
                try await group.waitForAll()
            }
        }
    }

    private func settled(_ desk: InboxDesk, _ news: Locked<[InboxNews]>, _ count: Int) async throws {
        // A busy machine takes its time.
        let end = ContinuousClock.now + .seconds(200)
        while ContinuousClock.now < end {
            let ended = news.value.count { item in
                switch item {
                case .booked, .refused, .undone, .stuck: true
                case .departed, .delivered, .offline, .locked: false
                }
            }
            if ended >= count, !desk.isOpen { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw NeverHappened(what: "\(count) orders are delivered: \(news.value)")
    }

    private func give(_ desk: InboxDesk, _ model: inout InboxModel, _ verb: InboxVerb) throws {
        let order = model.decide(verb)
        desk.submit(try #require(order))
    }

    private func takeBack(_ desk: InboxDesk, _ model: inout InboxModel) throws {
        let done = model.takeBack()
        desk.undo(try #require(done).number)
    }

    private func focus(_ model: inout InboxModel, _ subject: String) throws {
        let row = try #require(model.rows.firstIndex { model.items[$0].subject == subject })
        model.setFocus(row)
    }

    @Test("several decisions are one run; z undoes one of them, opus undo the rest")
    func oneRun() async throws {
        let work = try Workplace(rules: [:])
        try work.deliver("One", "Two", "Three", "Four")
        try await session(work) { session, desk, model, news in
            #expect(model.items.count == 4)
            for (subject, verb) in [
                ("One", InboxVerb.archive), ("Two", .trash), ("Three", .deferUntil("friday")),
            ] {
                try focus(&model, subject)
                try give(desk, &model, verb)
            }
            try await settled(desk, news, 3)
            #expect(try work.names("INBOX") == ["Four"])
            #expect(try work.names("Archive") == ["One"] && work.names("Trash") == ["Two"])
            try takeBack(desk, &model)
            try await settled(desk, news, 4)
            #expect(try work.names("INBOX") == ["Four", "Three"])
            let run = try #require(desk.run)
            let lines = try session.journal.runs(limit: 10)
            #expect(lines.map(\.undoes) == [run, nil], "\(lines)")
        }
        try await work.with { session in
            let plan = try await session.undo.freshPlan(UndoRequest())
            #expect(plan.changes == 2)
            _ = try await session.undo.apply(plan)
            #expect(try session.undo.plan(UndoRequest()).changes == 0)
        }
        #expect(try work.names("INBOX") == ["Four", "One", "Three", "Two"])
    }

    @Test("protected messages return with the reason, and nothing changes")
    func protected() async throws {
        let work = try Workplace(rules: [
            "10.yaml": "rules-version: 1\nprotect: { mine: 'subject:precious' }\nrules: []\n"
        ])
        try work.deliver("precious one")
        try await session(work) { _, desk, model, news in
            let decided = model.decide(.archive)
            let order = try #require(decided)
            desk.submit(order)
            try await settled(desk, news, 1)
            guard case .refused(let number, let reason)? = news.value.first else {
                Issue.record("\(news.value)")
                return
            }
            #expect(number == order.number && reason.contains("mine"))
            model.refuse(number)
            #expect(model.item?.subject == "precious one")
            #expect(desk.run == nil)
        }
        #expect(try work.names("INBOX") == ["precious-one"])
    }

    @Test("every kind of decision can be undone")
    func kinds() async throws {
        let work = try Workplace(rules: [:])
        try work.deliver("One", "Two", "Three", "Four", "Five")
        try await session(work) { session, desk, model, news in
            let verbs: [InboxVerb] = [
                .label("red"), .task(title: "Call Bob"), .wait(until: "friday"), .archive, .junk,
                .delegate(to: "carla@acme.example", note: "Please."),
            ]
            for verb in verbs { try give(desk, &model, verb) }
            try await settled(desk, news, verbs.count)
            for item in news.value { if case .refused(_, let reason) = item { Issue.record("\(reason)") } }
            #expect(try session.tasks.files().files.count == 3)
            while let (number, _) = model.takeBack() { desk.undo(number) }
            try await settled(desk, news, verbs.count * 2)
            for item in news.value {
                if case .stuck(_, let reason) = item { Issue.record("\(reason)") }
                if case .undone(_, stays: let reason?) = item { Issue.record("\(reason)") }
            }
            #expect(try session.tasks.files().files.isEmpty)
            #expect(try work.names("Drafts").isEmpty)
        }
        #expect(try work.names("INBOX").count == 5)
    }

    @Test("a conversation with an open task is not listed")
    func decided() async throws {
        let work = try Workplace(rules: [:])
        try work.deliver("One", "Two")
        try await session(work) { session, desk, model, news in
            try focus(&model, "One")
            try give(desk, &model, .task(title: ""))
            try await settled(desk, news, 1)
            #expect(try session.inbox.items(account: nil, matching: nil).map(\.subject) == ["Two"])
            #expect(try session.inbox.items(account: nil, matching: nil, isEverything: true).count == 2)
        }
    }

    @Test("undo removes a rule that was written, unless it was edited since")
    func rule() async throws {
        let work = try Workplace(rules: [:])
        try work.deliver("One")
        try await session(work) { _, desk, model, news in
            for isEdited in [false, true] {
                let path = work.root + "/rules/60-new-\(isEdited).yaml"
                try give(desk, &model, .rule(path: path, text: "rules-version: 1\nrules: []\n"))
                try await settled(desk, news, isEdited ? 3 : 1)
                let name = "rules/60-new-\(isEdited).yaml"
                #expect(try work.read(name).hasPrefix("rules-version"))
                if isEdited { try work.write("# mine\n", to: name) }
                try takeBack(desk, &model)
                try await settled(desk, news, isEdited ? 4 : 2)
                #expect((try? work.read(name)) == (isEdited ? "# mine\n" : nil))
            }
        }
    }
}
