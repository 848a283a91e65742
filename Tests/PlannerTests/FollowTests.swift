import Models
import Testing

@testable import Planner

@Suite struct FollowTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let change: TodoChange
        let places: [Mailbox]
        var deferral: Timestamp?
        var openTodos: [TodoID] = []
        let steps: [String]
        var waits: [Timestamp?] = []
        var notices: [FollowNotice.Kind] = []

        init(
            _ name: String, _ change: TodoChange, in places: [Mailbox], deferral: Timestamp? = nil,
            openTodos: [TodoID] = [], _ steps: [String] = [], waits: [Timestamp?] = [],
            notices: [FollowNotice.Kind] = []
        ) {
            testDescription = name
            self.change = change
            self.places = places
            self.deferral = deferral
            self.openTodos = openTodos
            self.steps = steps
            self.waits = waits
            self.notices = notices
        }
    }

    static func todo(_ list: GTDList = .next, start: TodoDate? = nil) -> Todo {
        var todo = Todo(id: TodoID("t1"), list: list, summary: "Call")
        todo.start = start
        return todo
    }

    static let tomorrow = Sample.now + 86_400
    static let friday = CalendarDate("2026-03-13").map { TodoDate.date($0) }
    /// 08:00 in Paris.
    static let fridayMorning = Timestamp(rfc3339: "2026-03-13T07:00:00Z")

    static func follow(_ example: Case, token: String = "v1") -> (FollowPlan, QueuedWork) {
        let placements = example.places.enumerated().map { index, mailbox in
            Planner.Placement(
                message: EmailID(rawValue: "m\(index + 1)"), key: Sample.key(UInt32(index + 1), in: mailbox),
                mailbox: mailbox)
        }
        let mail = LinkedMail(
            message: EmailID(rawValue: "m1"), account: Sample.account, thread: ThreadID(rawValue: "t"),
            placements: placements, deferral: example.deferral, openTodos: example.openTodos)
        let plan = Planner.decide(
            changes: [example.change], links: [TodoID("t1"): mail], context: context(token: token))
        return (plan, Planner.work(for: plan, context: Sample.context))
    }

    static func context(token: String) -> FollowContext {
        FollowContext(
            now: Sample.now, timeZone: "Europe/Paris", accounts: [Sample.account: Sample.context],
            changeTokens: [TodoID("t1"): token])
    }

    @Test(arguments: [
        Case(
            "done: the thread leaves the inbox", .completed(todo()),
            in: [Sample.inbox, Sample.inbox, Sample.archive],
            ["move 1 Archive", "move 2 Archive"]),
        Case(
            "done while deferred: the wait ends too", .completed(todo()), in: [Sample.deferred],
            deferral: tomorrow,
            ["move 1 Archive"], waits: [nil]),
        Case("done when archived already: nothing", .completed(todo()), in: [Sample.archive]),
        Case("done, but filed by hand: nothing", .completed(todo()), in: [Sample.projects]),
        Case(
            "done with another task open: the mail stays", .completed(todo()), in: [Sample.inbox],
            openTodos: [TodoID("t1"), TodoID("t2")], notices: [.otherTaskOpen]),
        Case(
            "reopened: the message comes back, the others stay", .reopened(todo()),
            in: [Sample.archive, Sample.archive],
            ["move 1 INBOX"]),
        Case(
            "reopened while deferred: it goes on waiting, also where the archive shows it too",
            .reopened(todo()), in: [Sample.deferred, Sample.archive], deferral: tomorrow),
        Case("reopened when it is in the inbox: nothing", .reopened(todo()), in: [Sample.inbox]),
        Case(
            "reopened when it is in the trash: nothing", .reopened(todo()),
            in: [Sample.mailbox("Trash", .trash)]),
        Case(
            "another day: it waits until that morning", .startChanged(todo(start: friday)),
            in: [Sample.deferred],
            deferral: tomorrow, waits: [fridayMorning]),
        Case(
            "another time: it waits until then", .startChanged(todo(start: .instant(tomorrow + 60))),
            in: [Sample.deferred, Sample.deferred], deferral: tomorrow, waits: [tomorrow + 60, tomorrow + 60]),
        Case(
            "the same day: nothing", .startChanged(todo(start: .instant(tomorrow))), in: [Sample.deferred],
            deferral: tomorrow),
        Case(
            "a day that is past: it comes back now", .startChanged(todo(start: .instant(Sample.now))),
            in: [Sample.deferred], deferral: tomorrow, ["move 1 INBOX"], waits: [nil]),
        Case(
            "no start any more: it comes back now", .startChanged(todo()), in: [Sample.deferred],
            deferral: tomorrow,
            ["move 1 INBOX"], waits: [nil]),
        Case(
            "a start for mail that is not deferred: nothing", .startChanged(todo(start: friday)),
            in: [Sample.inbox]),
        Case(
            "deleted while open: a word, the mail stays", .deleted(todo(), wasOpen: true), in: [Sample.inbox],
            notices: [.deletedOpen]),
        Case("deleted when done: nothing", .deleted(todo(), wasOpen: false), in: [Sample.inbox]),
        Case(
            "cancelled: a word, the mail stays", .cancelled(todo()), in: [Sample.inbox], notices: [.cancelled]
        ),
        Case(
            "someday: a word", .movedList(todo(.someday), from: .next), in: [Sample.inbox],
            notices: [.someday]),
        Case("another list: nothing", .movedList(todo(.waiting), from: .next), in: [Sample.inbox]),
        Case("edited: nothing", .edited(todo()), in: [Sample.inbox]),
        Case("added by hand: nothing", .added(todo()), in: [Sample.inbox]),
    ])
    func follows(_ example: Case) {
        let (plan, work) = Self.follow(example)
        #expect(work.steps.map(\.kind.summary) == example.steps)
        #expect(work.deferrals.map(\.until) == example.waits)
        #expect(plan.notices.map(\.kind) == example.notices)
    }

    @Test func `a task without mail has no consequences`() {
        let plan = Planner.decide(
            changes: [.completed(Self.todo()), .deleted(Self.todo(), wasOpen: true)], links: [:],
            context: Self.context(token: ""))
        #expect(plan.isEmpty)
    }

    @Test func `done, open and done again is three wishes; the same change twice is one`() {
        let done = Case("", .completed(Self.todo()), in: [Sample.inbox])
        let first = Self.follow(done, token: "v1").1.steps.map(\.idempotencyKey)
        #expect(Self.follow(done, token: "v1").1.steps.map(\.idempotencyKey) == first)
        #expect(Self.follow(done, token: "v3").1.steps.map(\.idempotencyKey) != first)
    }

    @Test func `two tasks of a thread that are done together move its mail once`() {
        var other = Self.todo()
        other.id = TodoID("t2")
        let placement = Planner.Placement(
            message: EmailID(rawValue: "m1"), key: Sample.key(1), mailbox: Sample.inbox)
        let mail = LinkedMail(
            message: EmailID(rawValue: "m1"), account: Sample.account, thread: ThreadID(rawValue: "t"),
            placements: [placement], openTodos: [TodoID("t1"), TodoID("t2")])
        let plan = Planner.decide(
            changes: [.completed(Self.todo()), .completed(other)],
            links: [TodoID("t1"): mail, TodoID("t2"): mail], context: Self.context(token: "v"))
        #expect(
            Planner.work(for: plan, context: Sample.context).steps.map(\.kind.summary) == ["move 1 Archive"])
        #expect(plan.notices == [])
    }

    @Test func `another account's actions are left out`() {
        var context = Sample.context
        let plan = Self.follow(Case("", .completed(Self.todo()), in: [Sample.inbox])).0
        context.account = AccountID("home")
        #expect(Planner.work(for: plan, context: context).isEmpty)
    }

    // MARK: Coming back

    @Test func `deferred mail comes back when its time has come`() {
        let placements: [EmailID: [Planner.Placement]] = Dictionary(
            uniqueKeysWithValues: [Sample.deferred, Sample.deferred, Sample.projects].enumerated().map {
                let id = EmailID(rawValue: "m\($0.offset + 1)")
                let key = Sample.key(UInt32($0.offset + 1), in: $0.element)
                return (id, [Planner.Placement(message: id, key: key, mailbox: $0.element)])
            })
        let work = Planner.returning(
            deferrals: [
                (EmailID(rawValue: "m1"), Sample.now), (EmailID(rawValue: "m2"), Sample.now + 1),
                (EmailID(rawValue: "m3"), Sample.now - 1), (EmailID(rawValue: "m4"), Sample.now - 1),
            ], now: Sample.now, placements: placements, context: Sample.context)
        #expect(work.steps.map(\.kind.summary) == ["move 1 INBOX"])
        #expect(work.deferrals.map(\.message.rawValue) == ["m1", "m3", "m4"])
        #expect(work.deferrals.allSatisfy { $0.until == nil })
        #expect(work.remembered == [])
    }
}
