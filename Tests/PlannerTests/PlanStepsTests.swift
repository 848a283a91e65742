import Models
import Rules
import Testing

@testable import Planner

@Suite struct PlanStepsTests {
    static let bob = EmailAddress(displayName: "Bob Singh", localPart: "bob", domain: "example.org")

    static func work(_ actions: [Action], flags: Set<Flag> = [], keywords: Set<Keyword> = []) throws
        -> QueuedWork
    {
        var facts = Sample.facts(1)
        facts.flags = flags
        facts.keywords = keywords
        return try Sample.work(
            Sample.plan([facts], [1: Judgement(decisions: actions.map { Sample.decision("r", $0) })]))
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let actions: [Action]
        let steps: [String]

        init(_ name: String, _ actions: [Action], _ steps: [String]) {
            testDescription = name
            self.actions = actions
            self.steps = steps
        }
    }

    @Test(arguments: [
        Case("keep is no step", [.keep], []),
        Case(
            "create first, move last, whatever the order of the rule",
            [.archive, .label(Keyword("work")), .mark(read: true), Sample.task()],
            ["task next", "store 1 +seen +work", "move 1 Archive"]),
        Case(
            "a delegation is a wait and a draft",
            [.delegate(Delegation(to: bob)), .archive],
            ["task waiting", "append Drafts draft,seen", "move 1 Archive"]),
        Case(
            "a delegation that is sent goes before its copy",
            [.delegate(Delegation(to: bob, sending: .now)), .archive],
            ["task waiting", "submit bob@example.org", "append Sent seen", "move 1 Archive"]),
        Case("a mark that the message has already is no step", [.flag, .unlabel(Keyword("none"))], []),
        Case("a label and its removal are no step", [.label(Keyword("a")), .unlabel(Keyword("A"))], []),
        Case("a role without a mailbox gets the usual one", [.junk], ["move 1 Junk"]),
        Case("a move to where the message is is no step", [.move(to: Sample.inbox)], []),
    ])
    func steps(_ example: Case) throws {
        let work = try Self.work(example.actions, flags: [.flagged])
        #expect(work.steps.map(\.kind.summary) == example.steps)
        #expect(work.steps.allSatisfy { $0.cause == .rule("r") && $0.message == EmailID(rawValue: "m1") })
    }

    @Test func `the keys of steps are the same in every run, and differ between requests`() throws {
        let actions: [Action] = [
            Sample.task(), .delegate(Delegation(to: Self.bob, sending: .now)), .label(Keyword("a")), .archive,
        ]
        let first = try Self.work(actions).steps.map(\.idempotencyKey)
        #expect(try Self.work(actions).steps.map(\.idempotencyKey) == first)
        #expect(Set(first).count == first.count)
        #expect(first.allSatisfy { $0.utf8.count == 64 })
    }

    @Test func `a message that was moved back gets a new request`() throws {
        var back = Sample.facts(9)
        back.id = EmailID(rawValue: "m1")
        let archive = Judgement(decisions: [Sample.decision("r", .archive)])
        let first = try Sample.work(Sample.plan([Sample.facts(1)], [1: archive]))
        let second = try Sample.work(Sample.plan([back], [9: archive]))
        #expect(first.steps.first?.idempotencyKey != second.steps.first?.idempotencyKey)
    }

    @Test func `matches with actions are remembered, matches that only keep are not`() throws {
        #expect(try Self.work([.keep]).remembered == [])
        let done = RememberedMatch(rule: "r", message: EmailID(rawValue: "m1"))
        #expect(try Self.work([.flag, .archive]).remembered == [done])
    }

    @Test func `a rule whose task exists already is remembered too`() throws {
        // Else it would make a second task as soon as the first one is done.
        let asks = Judgement(decisions: [Sample.decision("ask", Sample.task())])
        let work = try Sample.work(Sample.plan([Sample.facts(1), Sample.facts(2)], [1: asks, 2: asks]))
        #expect(work.remembered.map(\.message.rawValue) == ["m1", "m2"])
    }

    @Test func `a deferral is stored for every message that moves`() throws {
        let until = Sample.now + 86_400
        let plan = Sample.plan(
            [Sample.facts(1), Sample.facts(2)],
            [2: Judgement(decisions: [Sample.decision("r", .deferUntil(until))])])
        let work = try Sample.work(plan)
        #expect(work.steps.map(\.kind.summary) == ["move 1 Deferred", "move 2 Deferred"])
        #expect(work.deferrals.map(\.message.rawValue) == ["m1", "m2"])
        #expect(work.deferrals.allSatisfy { $0.until == .time(until) })
    }

    // MARK: Tasks

    @Test func `a task has the fields of the rule and the link to the mail`() throws {
        var draft = TodoDraft(summary: "Pay\r\nINV", list: .next)
        draft.notes = "Notes"
        draft.contexts = ["@finance"]
        draft.due = CalendarDate("2026-03-31").map { .date($0) }
        draft.priority = 1
        draft.alarmSecondsBefore = 86_400
        let work = try Self.work([.task(draft)])
        guard case .createTodo(let todo) = work.steps.first?.kind else {
            Issue.record("no task")
            return
        }
        #expect(todo.summary == "Pay  INV")
        #expect(todo.notes == "Notes")
        #expect(todo.categories == ["@finance"])
        #expect(todo.due == draft.due)
        #expect(todo.start == nil)
        #expect(todo.priority == 1)
        #expect(todo.alarmSecondsBefore == 86_400)
        #expect(todo.messageID == MessageID("m1@example.org"))
        #expect(todo.url == "mid:m1@example.org")
        #expect(todo.account == Sample.account)
        #expect(todo.rule == "r")
        #expect(todo.timeZone == "Europe/Paris")
        #expect(todo.created == Sample.now)
        #expect(
            work.links == [
                .init(
                    todo: todo.id, message: EmailID(rawValue: "m1"), thread: ThreadID(rawValue: "t"),
                    rule: "r")
            ])
    }

    @Test(arguments: [
        ("at eight a day", "2026-03-14T07:00:00Z", "2026-03-14"),
        ("at another time", "2026-03-14T09:00:00Z", nil),
        ("at eight in summer", "2026-04-14T06:00:00Z", "2026-04-14"),
    ])
    func `the task of a deferred message starts when the message returns`(
        _ name: String, _ until: String, _ day: String?
    ) throws {
        let until = try #require(Timestamp(rfc3339: until))
        let work = try Self.work([Sample.task(), .deferUntil(until)])
        guard case .createTodo(let todo) = work.steps.first?.kind, let start = todo.start else {
            Issue.record("no start")
            return
        }
        #expect(start == day.flatMap { CalendarDate($0) }.map { .date($0) } ?? .instant(until))
        #expect(ReturnTime.instant(start, timeZone: "Europe/Paris") == until)
    }

    @Test func `a start that the rule sets is kept`() throws {
        var draft = TodoDraft(summary: "x")
        draft.start = .instant(Sample.now)
        let work = try Self.work([.task(draft), .deferUntil(Sample.now + 10)])
        guard case .createTodo(let todo) = work.steps.first?.kind else {
            Issue.record("no task")
            return
        }
        #expect(todo.start == .instant(Sample.now))
    }

    @Test func `the title of a wait has no marks that change the direction of text`() throws {
        var facts = Sample.facts(1)
        facts.subject = "Pay \u{202E}live\u{2066} שלום\u{200F}"
        let decision = Sample.decision("r", .delegate(Delegation(to: Self.bob, note: "", followUp: nil)))
        let work = try Sample.work(Sample.plan([facts], [1: Judgement(decisions: [decision])]))
        guard case .createTodo(let todo) = work.steps.first?.kind else {
            Issue.record("no task")
            return
        }
        #expect(todo.summary == "Waiting for Bob Singh: Pay live שלום\u{200F}")
    }

    @Test func `a wait names its person, its mail and its date`() throws {
        let friday = try #require(CalendarDate("2026-03-13"))
        let work = try Self.work([
            .delegate(Delegation(to: Self.bob, note: "Yours?", followUp: .date(friday)))
        ])
        guard case .createTodo(let todo) = work.steps.first?.kind else {
            Issue.record("no task")
            return
        }
        #expect(todo.list == .waiting)
        #expect(todo.summary == "Waiting for Bob Singh: Subject 1")
        #expect(todo.contact == "Bob Singh <bob@example.org>")
        #expect(todo.waitingOn == "bob@example.org")
        #expect(todo.start == .date(friday))
        #expect(todo.due == nil)
        #expect(todo.categories == ["waiting"])
        #expect(todo.delegatedMessageID == MessageID("d-m1@opus"))
    }

    @Test func `a task and a wait of one rule are two tasks`() throws {
        let work = try Self.work([Sample.task(), .delegate(Delegation(to: Self.bob))])
        #expect(Set(work.links.map(\.todo)).count == 2)
    }

    @Test(arguments: [
        ("a/b%c@x", "mid:a%2Fb%25c@x"), ("é@x", "mid:%C3%A9@x"), ("a b<>@x", "mid:a%20b%3C%3E@x"),
        ("\u{1}@x", "mid:%01@x"), ("A-z_0.~$+=!*@x", "mid:A-z_0.~$+=!*@x"),
    ])
    func `a Message-ID is percent-encoded in its URL`(_ id: String, _ url: String) {
        #expect(TodoMaking.midURL(MessageID(id)) == url)
    }

    @Test func `a delegation that cannot be written fails the whole plan`() {
        struct NoAddress: Error {}
        let plan = Sample.plan(
            [Sample.facts(1)],
            [1: Judgement(decisions: [Sample.decision("r", .delegate(Delegation(to: Self.bob)))])])
        #expect(throws: NoAddress.self) {
            try Planning.steps(for: plan, context: Sample.context) { _, _ in throw NoAddress() }
        }
    }
}
