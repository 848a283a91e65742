import Models
import Testing

@testable import Planner

@Suite struct FollowTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let change: TodoChange
        let places: [Mailbox]
        /// Of the first message.
        var deferral: Timestamp?
        var openTodos: [TodoID] = []
        /// Where a task had put each message.
        var putAway: [Mailbox?] = []
        var before: Todo?
        /// Messages that the task is not about.
        var others: Set<String> = []
        let steps: [String]
        var notices: [FollowNotice.Kind] = []
        var whenDone = FinishedMail.archive

        init(
            _ name: String, _ change: TodoChange, in places: [Mailbox], deferral: Timestamp? = nil,
            openTodos: [TodoID] = [], putAway: [Mailbox?] = [], before: Todo? = nil,
            others: Set<String> = [], _ steps: [String] = [],
            notices: [FollowNotice.Kind] = [], whenDone: FinishedMail = .archive
        ) {
            testDescription = name
            self.change = change
            self.places = places
            self.deferral = deferral
            self.openTodos = openTodos
            self.putAway = putAway
            self.before = before
            self.others = others
            self.steps = steps
            self.notices = notices
            self.whenDone = whenDone
        }
    }

    static func todo(
        _ list: GTDList = .next, start: TodoDate? = nil, categories: [String] = [], contact: String? = nil
    ) -> Todo {
        var todo = Todo(id: TodoID("t1"), list: list, summary: "Call")
        todo.start = start
        todo.categories = categories
        todo.contact = contact
        return todo
    }

    static let tomorrow = Sample.now + 86_400
    static let friday = CalendarDate("2026-03-13").map { TodoDate.date($0) }
    static let trash = Sample.mailbox("Trash", .trash)

    static func follow(_ example: Case, token: String = "v1") -> (FollowPlan, QueuedWork) {
        let placements = example.places.enumerated().map { index, mailbox in
            MessagePlace(
                message: EmailID(rawValue: "m\(index + 1)"), key: Sample.key(UInt32(index + 1), in: mailbox),
                mailbox: mailbox)
        }
        let first = EmailID(rawValue: "m1")
        let putAway = example.putAway.enumerated().compactMap { index, mailbox in
            mailbox.map { (EmailID(rawValue: "m\(index + 1)"), $0.name) }
        }
        let mail = LinkedMail(
            message: first, account: Sample.account, thread: ThreadID(rawValue: "t"), placements: placements,
            deferrals: example.deferral.map { [first: .time($0)] } ?? [:], openTodos: example.openTodos,
            putAway: Dictionary(uniqueKeysWithValues: putAway),
            others: Set(example.others.map { EmailID(rawValue: $0) }))
        var context = context(token: token)
        context.whenDone = example.whenDone
        context.before = example.before.map { [TodoID("t1"): $0] } ?? [:]
        let plan = Planning.decide(changes: [example.change], links: [TodoID("t1"): mail], context: context)
        return (plan, Planning.work(for: plan, context: Sample.context))
    }

    static func context(token: String) -> FollowContext {
        FollowContext(
            now: Sample.now, timeZone: "Europe/Paris", accounts: [Sample.account: Sample.context],
            changeTokens: [TodoID("t1"): token])
    }

    @Test(
        "completing, cancelling and reopening a task moves its mail",
        arguments: [
            Case(
                "done: the thread leaves the inbox", .completed(todo()),
                in: [Sample.inbox, Sample.inbox, Sample.archive],
                ["move 1 Archive", "move 2 Archive"]),
            Case(
                "done while deferred: the wait ends too", .completed(todo()), in: [Sample.deferred],
                deferral: tomorrow, ["no wait", "move 1 Archive"]),
            Case(
                "done: what the task is not about stays", .completed(todo()),
                in: [Sample.inbox, Sample.inbox, Sample.deferred], others: ["m2", "m3"],
                ["move 1 Archive"]),
            Case("done when archived already: nothing", .completed(todo()), in: [Sample.archive]),
            Case("done, but filed by hand: nothing", .completed(todo()), in: [Sample.projects]),
            Case(
                "done with another task open: the mail stays", .completed(todo()), in: [Sample.inbox],
                openTodos: [TodoID("t1"), TodoID("t2")], notices: [.otherTaskOpen]),
            Case(
                "done where the workspace keeps it: a word", .completed(todo()), in: [Sample.inbox],
                notices: [.kept], whenDone: .keep),
            Case(
                "done where the workspace wants the trash", .completed(todo()), in: [Sample.inbox],
                ["move 1 Trash"], whenDone: .trash),
            Case(
                "cancelled: the thread leaves the inbox", .cancelled(todo()), in: [Sample.inbox],
                ["move 1 Archive"], whenDone: .keep),
            Case(
                "reopened: what the task had put away comes back, the rest stays", .reopened(todo()),
                in: [Sample.archive, Sample.archive, Sample.archive],
                putAway: [Sample.archive, nil, Sample.archive], ["move 1 INBOX", "move 3 INBOX"]),
            Case(
                "reopened on a list for later: the mail is deferred again",
                .reopened(todo(.scheduled, start: friday)), in: [Sample.archive, Sample.archive],
                putAway: [Sample.archive, nil], ["wait 2026-03-13T07:00:00Z", "move 1 Deferred"]),
            Case(
                "reopened on someday: the mail is deferred again", .reopened(todo(.someday)),
                in: [Sample.archive],
                putAway: [Sample.archive], ["wait someday", "move 1 Deferred"]),
            Case(
                "reopened on a list for later after its start: the mail comes back",
                .reopened(todo(.scheduled, start: .instant(Sample.now))), in: [Sample.archive],
                putAway: [Sample.archive], ["move 1 INBOX"]),
            Case("reopened, but archived by hand: it stays", .reopened(todo()), in: [Sample.archive]),
            Case(
                "reopened, but filed elsewhere since: it stays", .reopened(todo()), in: [Sample.projects],
                putAway: [Sample.archive]),
            Case(
                "reopened while deferred: it goes on waiting, also where the archive shows it too",
                .reopened(todo()), in: [Sample.deferred, Sample.archive], deferral: tomorrow),
            Case("reopened when it is in the inbox: nothing", .reopened(todo()), in: [Sample.inbox]),
            Case("reopened when it is in the trash: nothing", .reopened(todo()), in: [trash]),
        ])
    func finished(_ example: Case) { Self.expect(example) }

    @Test(
        "a changed start moves the deferral",
        arguments: [
            Case(
                "another day: it waits until that morning", .startChanged(todo(start: friday)),
                in: [Sample.deferred], deferral: tomorrow, ["wait 2026-03-13T07:00:00Z"]),
            Case(
                "another time: it waits until then", .startChanged(todo(start: .instant(tomorrow + 60))),
                in: [Sample.deferred, Sample.deferred], deferral: tomorrow,
                ["wait 2026-03-11T08:01:00Z", "wait 2026-03-11T08:01:00Z"]),
            Case(
                "the same day: nothing", .startChanged(todo(start: .instant(tomorrow))),
                in: [Sample.deferred],
                deferral: tomorrow),
            Case(
                "a day that is past: it comes back now", .startChanged(todo(start: .instant(Sample.now))),
                in: [Sample.deferred], deferral: tomorrow, ["no wait", "move 1 INBOX"]),
            Case(
                "no start any more: it comes back now", .startChanged(todo()), in: [Sample.deferred],
                deferral: tomorrow, ["no wait", "move 1 INBOX"]),
            Case(
                "no start for mail that waits without a date: it goes on waiting",
                .startChanged(todo(.someday)),
                in: [Sample.deferred]),
            Case(
                "a start for mail that waits without a date", .startChanged(todo(.someday, start: friday)),
                in: [Sample.deferred], ["wait 2026-03-13T07:00:00Z"]),
            Case(
                "a start for mail in the inbox whose task is scheduled",
                .startChanged(todo(.scheduled, start: friday)),
                in: [Sample.inbox], ["wait 2026-03-13T07:00:00Z", "move 1 Deferred"]),
            Case(
                "a start for mail that its waiting list had archived: deferred until then",
                .startChanged(todo(.waiting, start: friday)), in: [Sample.archive, Sample.archive],
                putAway: [Sample.archive, nil], ["wait 2026-03-13T07:00:00Z", "move 1 Deferred"]),
            Case(
                "a start for mail that is not deferred: nothing", .startChanged(todo(start: friday)),
                in: [Sample.inbox]),
        ])
    func starts(_ example: Case) { Self.expect(example) }

    @Test(
        "another list moves the mail",
        arguments: [
            Case(
                "waiting: out of the inbox, and who it is", .movedList(todo(.waiting), from: .next),
                in: [Sample.inbox], ["move 1 Archive"], notices: [.waitsForNobody]),
            Case(
                "waiting for somebody", .movedList(todo(.waiting, contact: "Ann"), from: .next),
                in: [Sample.inbox], ["move 1 Archive"]),
            Case(
                "waiting with a day to ask again: deferred until then",
                .movedList(todo(.waiting, start: friday), from: .next), in: [Sample.inbox],
                ["wait 2026-03-13T07:00:00Z", "move 1 Deferred"]),
            Case(
                "scheduled: deferred until its start",
                .movedList(todo(.scheduled, start: friday), from: .next),
                in: [Sample.inbox, Sample.inbox],
                [
                    "wait 2026-03-13T07:00:00Z", "move 1 Deferred", "wait 2026-03-13T07:00:00Z",
                    "move 2 Deferred",
                ]),
            Case(
                "scheduled, and its waiting list had archived the mail: deferred until its start",
                .movedList(todo(.scheduled, start: friday), from: .waiting),
                in: [Sample.archive, Sample.archive], putAway: [Sample.archive, nil],
                ["wait 2026-03-13T07:00:00Z", "move 1 Deferred"]),
            Case(
                "someday, and its waiting list had archived the mail: deferred",
                .movedList(todo(.someday), from: .waiting), in: [Sample.archive],
                putAway: [Sample.archive], ["wait someday", "move 1 Deferred"]),
            Case(
                "in the inbox again, and the archive shows it too: deferred once",
                .movedList(todo(.someday), from: .waiting), in: [Sample.inbox, Sample.archive],
                putAway: [Sample.archive], ["wait someday", "move 1 Deferred"]),
            Case(
                "scheduled without a start: a word", .movedList(todo(.scheduled), from: .next),
                in: [Sample.inbox], notices: [.scheduledWithoutStart]),
            Case(
                "someday: deferred without a date", .movedList(todo(.someday), from: .next),
                in: [Sample.inbox, Sample.archive], ["wait someday", "move 1 Deferred"]),
            Case(
                "someday when it was deferred: no date any more", .movedList(todo(.someday), from: .next),
                in: [Sample.deferred], deferral: tomorrow, ["wait someday"]),
            Case(
                "someday with another task open: the mail stays", .movedList(todo(.someday), from: .next),
                in: [Sample.inbox], openTodos: [TodoID("t2")], notices: [.otherTaskOpen]),
            Case(
                "back to next: what its list had put away comes back", .movedList(todo(), from: .someday),
                in: [Sample.deferred, Sample.archive], putAway: [Sample.deferred],
                ["move 1 INBOX"]),
            Case(
                "back to next after a lost store: mail deferred to its start comes back",
                .movedList(todo(start: .instant(tomorrow)), from: .scheduled), in: [Sample.deferred],
                deferral: tomorrow, ["no wait", "move 1 INBOX"]),
            Case(
                "back to next: mail that the user deferred to another day stays",
                .movedList(todo(start: friday), from: .scheduled), in: [Sample.deferred], deferral: tomorrow),
            Case("another list: nothing", .movedList(todo(GTDList("home")), from: .next), in: [Sample.inbox]),
            Case(
                "a done task on another list: nothing", .movedList(done(.waiting), from: .next),
                in: [Sample.inbox]),
        ])
    func lists(_ example: Case) { Self.expect(example) }

    static func done(_ list: GTDList) -> Todo {
        var todo = todo(list)
        todo.status = .completed
        return todo
    }

    @Test(
        "categories become labels, and other changes move nothing",
        arguments: [
            Case(
                "one added, one taken away", .edited(todo(categories: ["@home", "red"])),
                in: [Sample.inbox, Sample.inbox], before: todo(categories: ["@home", "blue"]),
                ["store 1 +red -blue"]),
            Case(
                "another case is the same", .edited(todo(categories: ["RED"])), in: [Sample.inbox],
                before: todo(categories: ["red"])),
            Case(
                "what no server takes for a keyword stays in the file",
                .edited(todo(categories: ["in Köln"])),
                in: [Sample.inbox], before: todo(), notices: [.noLabel]),
            Case(
                "the others become labels", .edited(todo(categories: ["in Köln", "red"])), in: [Sample.inbox],
                before: todo(), ["store 1 +red"], notices: [.noLabel]),
            Case(
                "the last one taken away", .edited(todo()), in: [Sample.archive],
                before: todo(categories: ["red"]), ["store 1 -red"]),
            Case(
                "several gone at once: a program's loss", .edited(todo()), in: [Sample.inbox],
                before: todo(categories: ["red", "blue"]), notices: [.categoriesGone]),
            Case(
                "the last one gone with other changes: a program's loss", .edited(todo(contact: "Ann")),
                in: [Sample.inbox], before: todo(categories: ["red"]), notices: [.categoriesGone]),
            Case("not in the trash", .edited(todo(categories: ["red"])), in: [trash], before: todo()),
            Case(
                "deleted while open: a word, the mail stays", .deleted(todo(), wasOpen: true),
                in: [Sample.inbox], notices: [.deletedOpen]),
            Case("deleted when done: nothing", .deleted(todo(), wasOpen: false), in: [Sample.inbox]),
            Case("edited: nothing", .edited(todo()), in: [Sample.inbox], before: todo(contact: "Ann")),
            Case("added by hand: nothing", .added(todo(categories: ["red"])), in: [Sample.inbox]),
        ])
    func others(_ example: Case) { Self.expect(example) }

    static func expect(_ example: Case) {
        let (plan, work) = follow(example)
        #expect(work.steps.map(\.kind.summary) == example.steps)
        #expect(work.deferrals == [])
        #expect(plan.notices.map(\.kind) == example.notices)
        // A step that trashes mail waits for confirmation, and no step sends.
        for action in plan.actions {
            let trashes = Planning.work(for: FollowPlan(actions: [action]), context: Sample.context).steps
                .contains {
                    $0.kind.summary.hasSuffix("Trash")
                }
            #expect(action.needsWord == trashes)
        }
    }

    @Test func `a change of a task without mail has no effect`() {
        let plan = Planning.decide(
            changes: [.completed(Self.todo()), .deleted(Self.todo(), wasOpen: true)], links: [:],
            context: Self.context(token: ""))
        #expect(plan.isEmpty)
    }

    @Test func `done, reopened and done are three requests, and the same change twice is one`() {
        let done = Case("", .completed(Self.todo()), in: [Sample.inbox])
        let first = Self.follow(done, token: "v1").1.steps.map(\.idempotencyKey)
        #expect(Self.follow(done, token: "v1").1.steps.map(\.idempotencyKey) == first)
        #expect(Self.follow(done, token: "v3").1.steps.map(\.idempotencyKey) != first)
    }

    @Test func `two completed tasks of a conversation move its mail once`() {
        var other = Self.todo()
        other.id = TodoID("t2")
        let placement = MessagePlace(
            message: EmailID(rawValue: "m1"), key: Sample.key(1), mailbox: Sample.inbox)
        let mail = LinkedMail(
            message: EmailID(rawValue: "m1"), account: Sample.account, thread: ThreadID(rawValue: "t"),
            placements: [placement], openTodos: [TodoID("t1"), TodoID("t2")])
        let plan = Planning.decide(
            changes: [.completed(Self.todo()), .completed(other)],
            links: [TodoID("t1"): mail, TodoID("t2"): mail], context: Self.context(token: "v"))
        #expect(
            Planning.work(for: plan, context: Sample.context).steps.map(\.kind.summary) == ["move 1 Archive"])
        #expect(plan.notices == [])
    }

    @Test func `actions for another account are left out`() {
        var context = Sample.context
        let plan = Self.follow(Case("", .completed(Self.todo()), in: [Sample.inbox])).0
        context.account = AccountID("home")
        #expect(Planning.work(for: plan, context: context).isEmpty)
    }
}
