import Models
import Testing

@testable import Planner

@Suite struct ThreadScopeTests {
    typealias Moves = [UInt32: String]

    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let judgements: [UInt32: Judgement]
        /// Where messages 1…3 of one thread go; those that stay are not in it.
        let moves: Moves

        init(_ name: String, _ actions: [UInt32: [Action]], protected: Set<UInt32> = [], moves: Moves) {
            testDescription = name
            self.moves = moves
            var judgements: [UInt32: Judgement] = [:]
            for uid in 1...3 as ClosedRange<UInt32> {
                judgements[uid] = Judgement(
                    decisions: (actions[uid] ?? []).map { Sample.decision("r\(uid)", $0) },
                    protectedBy: protected.contains(uid) ? "open work" : nil)
            }
            self.judgements = judgements
        }
    }

    static let later = Timestamp(seconds: 1_773_300_000)

    @Test(arguments: [
        Case(
            "a departure takes the older messages along", [3: [.archive]],
            moves: [1: "Archive", 2: "Archive", 3: "Archive"]),
        Case(
            "a newer message that matched nothing keeps itself", [2: [.archive]],
            moves: [1: "Archive", 2: "Archive"]),
        Case("a newer message never goes with an older one", [1: [.archive]], moves: [1: "Archive"]),
        Case(
            "an older message's own departure is the one it would have had on arrival",
            [1: [.move(to: Sample.projects)], 3: [.archive]],
            moves: [1: "Projects", 2: "Archive", 3: "Archive"]),
        Case(
            "the nearest newer departure decides", [2: [.deferUntil(later)], 3: [.archive]],
            moves: [1: "Deferred", 2: "Deferred", 3: "Archive"]),
        Case(
            "keep holds a message against a newer departure", [1: [.keep], 2: [.archive], 3: [.keep]],
            moves: [2: "Archive"]),
        Case(
            "a protected message stays whatever a newer one does",
            [1: [.label(Keyword("x"))], 2: [.archive]], protected: [1], moves: [2: "Archive"]),
        Case("a protected message takes nothing along", [2: [.archive]], protected: [2], moves: [:]),
        Case(
            "trash and junk are for one message", [2: [.trash], 3: [.junk]], moves: [2: "Trash", 3: "Junk"]),
        Case(
            "trash between does not hide an archive above", [2: [.trash], 3: [.archive]],
            moves: [1: "Archive", 2: "Trash", 3: "Archive"]),
        Case("of two dispositions the first stands", [1: [.archive, .trash]], moves: [1: "Archive"]),
    ])
    func scope(_ example: Case) throws {
        let inbox = [3, 1, 2].map { Sample.facts($0) }
        let work = try Sample.work(Sample.plan(inbox, example.judgements))
        var moves: Moves = [:]
        for step in work.steps {
            guard case .move(let key, let mailbox) = step.kind else { continue }
            #expect(moves[key.uid] == nil, "two moves of message \(key.uid)")
            moves[key.uid] = mailbox.name.description
        }
        #expect(moves == example.moves)
    }

    @Test func `a rule for second copies moves neither the first copy nor the conversation`() {
        let inbox = [Sample.facts(1), Sample.facts(2), Sample.facts(3)]
        var copy = Judgement(decisions: [Sample.decision("r", .archive)])
        copy.isForCopyAlone = true
        #expect(Sample.plan(inbox, [2: copy]).items.map(\.threadKeys) == [[], [], []])
        // A newer one that means the conversation takes along what is older than the copy, too.
        let plan = Sample.plan(inbox, [2: copy, 3: Judgement(decisions: [Sample.decision("r", .archive)])])
        #expect(plan.items.map { $0.threadKeys.map(\.message.rawValue) } == [[], [], ["m1"]])
    }

    struct Member: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// Writer and recipients of the older message, and whether it was read.
        let from: String
        var to = "me"
        var isRead = true
        /// To whom the user wrote in the conversation.
        var written: Set<String> = []
        let goes: Bool
    }

    @Test(arguments: [
        Member(testDescription: "the writer's own mail, read or not", from: "ana", isRead: false, goes: true),
        Member(testDescription: "mail to the writer", from: "bob", to: "ana", goes: true),
        Member(
            testDescription: "unread mail of another writer", from: "bob", to: "ana", isRead: false,
            goes: false),
        Member(testDescription: "mail that the writer had no part in", from: "boss", goes: false),
        Member(
            testDescription: "the same where the user wrote to the writer", from: "boss",
            written: ["ana@example.org"], goes: true),
        Member(
            testDescription: "the same, unread", from: "boss", isRead: false, written: ["ana@example.org"],
            goes: false),
        Member(
            testDescription: "where the user wrote to somebody else", from: "boss",
            written: ["bob@example.org"], goes: false),
    ])
    func `a decision also moves the older messages that its writer took part in`(_ member: Member) {
        var older = Sample.facts(1)
        older.from = [EmailAddress(localPart: member.from, domain: "example.org")]
        older.to = [EmailAddress(localPart: member.to, domain: "example.org")]
        older.flags = member.isRead ? [.seen] : []
        let company = Company(written: [ThreadID(rawValue: "t"): member.written])
        let items = Planning.items(
            inbox: [older, Sample.facts(2)], account: Sample.account, company: company
        ) {
            $0.key.uid == 2 ? Judgement(decisions: [Sample.decision("r", .archive)]) : Judgement()
        }
        #expect(items.map(\.threadKeys.count) == [0, member.goes ? 1 : 0])
    }

    @Test func `the user's address in From proves nothing, except in Sent`() {
        var older = Sample.facts(1)
        older.from = [EmailAddress(localPart: "bob", domain: "example.org")]
        older.to = [EmailAddress(localPart: "me", domain: "example.org")]
        older.flags = [.seen]
        var newer = Sample.facts(2)
        newer.from = [EmailAddress(localPart: "me", domain: "example.org")]
        for (sent, count) in [([], 0), ([newer.id], 1)] as [(Set<EmailID>, Int)] {
            let company = Company(sent: sent, own: ["me@example.org"])
            let items = Planning.items(inbox: [older, newer], account: Sample.account, company: company) {
                $0.key.uid == 2 ? Judgement(decisions: [Sample.decision("r", .archive)]) : Judgement()
            }
            #expect(items.map(\.threadKeys.count) == [0, count])
        }
    }

    struct TaskCase: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let from: String
        var to = "me"
        var first: String?
        var written: Set<String> = []
        let isShared: Bool
    }

    @Test(arguments: [
        TaskCase(testDescription: "the same writer", from: "ana", first: "m9", isShared: true),
        TaskCase(testDescription: "a stranger", from: "stranger", first: "m9", isShared: false),
        TaskCase(
            testDescription: "a stranger who sends it to the other writer", from: "stranger", to: "ana",
            first: "m9",
            isShared: false),
        TaskCase(
            testDescription: "the writer of the first message", from: "stranger", first: "m1", isShared: true),
        TaskCase(
            testDescription: "a person to whom the user wrote", from: "kim", first: "m9",
            written: ["kim@example.org"], isShared: true),
    ])
    func `a task counts for another message if its writer is known to that message`(_ example: TaskCase) {
        var mail = Sample.facts(1)
        mail.from = [EmailAddress(localPart: example.from, domain: "example.org")]
        mail.to = [EmailAddress(localPart: example.to, domain: "example.org")]
        var other = Sample.facts(2)
        other.to = [EmailAddress(localPart: "me", domain: "example.org")]
        let open = TodoID("t1")
        other.openTodos = [open]
        var scope = ThreadScope(
            account: Sample.account, todoRules: [open: "r"], todoMail: [open: mail],
            company: Company(written: [other.conversation: example.written], own: ["me@example.org"]))
        scope.names.first[other.conversation] = example.first.map { EmailID(rawValue: $0) }
        let asking = Judgement(decisions: [Sample.decision("r", Sample.task())])
        // The task is open, this plan has made it, or it makes it now.
        var members = [ThreadScope.Member(index: 0, facts: other, judgement: asking)]
        scope.makeTasksOnce(&members, open: [open], made: [:], names: [])
        #expect(members[0].judgement.decisions.isEmpty == example.isShared)
        members = [ThreadScope.Member(index: 0, facts: other, judgement: asking)]
        scope.todoMail = [:]
        let made = ThreadScope.Made(rule: "r", mail: mail)
        scope.makeTasksOnce(&members, open: [open], made: [open: made], names: [])
        #expect(members[0].judgement.decisions.isEmpty == example.isShared)
        members = [mail, other].enumerated().map { index, facts in
            ThreadScope.Member(index: index, facts: facts, judgement: asking)
        }
        scope.makeTasksOnce(&members, open: [], made: [:], names: [])
        #expect(members.map(\.judgement.decisions.isEmpty) == [false, example.isShared])
    }

    @Test func `another conversation stays, and a later message may move what a nearer one may not`() {
        var other = Sample.facts(1)
        other.conversation = ThreadID(rawValue: "c")
        let archive = Judgement(decisions: [Sample.decision("r", .archive)])
        #expect(Sample.plan([other, Sample.facts(2)], [2: archive]).takenAlong.isEmpty)
        var stranger = Sample.facts(2)
        stranger.from = [EmailAddress(localPart: "stranger", domain: "example.com")]
        let plan = Sample.plan([Sample.facts(1), stranger, Sample.facts(3)], [2: archive, 3: archive])
        #expect(plan.takenAlong == [Sample.key(1): EmailID(rawValue: "m3")])
    }

    @Test func `messages of another thread do not move`() {
        let inbox = [
            Sample.facts(1, thread: "a"), Sample.facts(2, thread: "b"), Sample.facts(3, thread: "a"),
        ]
        let plan = Sample.plan(inbox, [3: Judgement(decisions: [Sample.decision("r", .archive)])])
        #expect(plan.items.map { $0.threadKeys.map(\.message.rawValue) } == [[], [], ["m1"]])
        #expect(plan.takenAlong == [Sample.key(1): EmailID(rawValue: "m3")])
    }

    @Test func `older messages in another mailbox do not move`() {
        var inbox = [1, 2, 3].map { Sample.facts($0) }
        inbox[1].mailbox = Sample.projects
        inbox[1].key.mailbox = Sample.projects.name
        let plan = Sample.plan(inbox, [3: Judgement(decisions: [Sample.decision("r", .archive)])])
        #expect(plan.items.map { $0.threadKeys.map(\.message.rawValue) } == [[], [], ["m1"]])
    }

    @Test func `a message that moves with its conversation gets its own marks first`() throws {
        let inbox = [Sample.facts(2), Sample.facts(1)]
        let plan = Sample.plan(
            inbox,
            [
                1: Judgement(decisions: [
                    Sample.decision("a", .label(Keyword("work")))
                ]),
                2: Judgement(decisions: [Sample.decision("b", .archive)]),
            ])
        #expect(
            try Sample.work(plan).steps.map(\.kind.summary) == [
                "store 1 +work", "move 1 Archive", "move 2 Archive",
            ])
    }

    @Test func `the plan reports the action that a protected message did not get`() {
        let plan = Sample.plan(
            [Sample.facts(1)],
            [1: Judgement(decisions: [Sample.decision("r", .archive)], protectedBy: "open work")])
        #expect(plan.items.first?.disposition == .keep)
        #expect(plan.items.first?.shadowed == [Sample.decision("r", .archive)])
        #expect(plan.items.first?.protectedBy == "open work")
    }

    @Test func `equal arrival times are ordered by UID`() {
        var inbox = [Sample.facts(2), Sample.facts(1)]
        for index in inbox.indices { inbox[index].received = Sample.now }
        let plan = Sample.plan(inbox, [1: Judgement(decisions: [Sample.decision("r", .archive)])])
        #expect(plan.items.map(\.disposition) == [.keep, .archive])
        #expect(plan.takenAlong.isEmpty)
    }

    @Test func `a message that returned under a new UID keeps its age`() {
        var back = Sample.facts(9)
        back.received = Sample.facts(1).received
        let plan = Sample.plan(
            [back, Sample.facts(2)], [2: Judgement(decisions: [Sample.decision("r", .archive)])])
        #expect(plan.takenAlong == [Sample.key(9): EmailID(rawValue: "m2")])
    }

    @Test func `a message that is twice in the inbox moves twice`() throws {
        var copy = Sample.facts(2)
        copy.id = EmailID(rawValue: "m1")
        let both = Judgement(decisions: [Sample.decision("r", .archive)])
        let work = try Sample.work(Sample.plan([Sample.facts(1), copy], [1: both, 2: both]))
        #expect(work.steps.map(\.kind.summary) == ["move 1 Archive", "move 2 Archive"])
        #expect(Set(work.steps.map(\.idempotencyKey)).count == 2)
    }

    // MARK: Tasks

    @Test func `a rule makes one task for each conversation, for the first message`() {
        let asks = Judgement(decisions: [Sample.decision("ask", Sample.task())])
        let plan = Sample.plan([Sample.facts(2), Sample.facts(1)], [1: asks, 2: asks])
        #expect(plan.items.map(\.decisions.count) == [0, 1])
        #expect(
            plan.items[0].warnings == [
                "rule ask: an earlier message of the thread gets the task, so no second task is made"
            ])
    }

    @Test func `a message without its task has no warning about the dates of the task`() {
        let asks = Judgement(decisions: [Sample.decision("ask", Sample.task())])
        var second = asks
        let others = [
            "rule other found no due date in the message; the task has none   10.yaml:3",
            "rule ask makes a draft instead of sending: not allowed   10.yaml:3",
        ]
        second.warnings =
            [
                "rule ask found no due date in the message; uses +14 days (2026-03-24)   10.yaml:3",
                "rule ask found no start in the message; the task has none   10.yaml:3",
            ] + others
        let plan = Sample.plan([Sample.facts(2), Sample.facts(1)], [1: second, 2: second])
        #expect(
            plan.items[0].warnings == others + [
                "rule ask: an earlier message of the thread gets the task, so no second task is made"
            ])
        #expect(plan.items[1].warnings == second.warnings)
    }

    @Test func `a message without its task does not move, but another rule may move it`() {
        let pays = Judgement(decisions: [
            Sample.decision("pay", Sample.task()), Sample.decision("pay", .archive),
        ])
        let others = Judgement(decisions: [
            Sample.decision("pay", Sample.task()), Sample.decision("done", .archive),
        ])
        let inbox = (1...3 as ClosedRange<UInt32>).map { Sample.facts($0) }
        let kept = Sample.plan(inbox, [1: pays, 2: pays])
        #expect(kept.items.map(\.disposition) == [.archive, .keep, .keep])
        let moved = Sample.plan(inbox, [1: pays, 2: others])
        #expect(moved.items.map(\.disposition) == [.archive, .archive, .keep])
        // The next one that takes others along takes it, as after each arrival.
        let taken = Sample.plan(
            inbox, [1: pays, 2: pays, 3: Judgement(decisions: [Sample.decision("done", .archive)])])
        #expect(taken.items[2].threadKeys.map(\.message.rawValue) == ["m2"])
    }

    @Test func `two tasks of one rule on one message are both made`() throws {
        let two = Judgement(decisions: [
            Sample.decision("r", Sample.task("one")), Sample.decision("r", Sample.task("two")),
            Sample.decision("s", Sample.task("three")),
        ])
        let work = try Sample.work(Sample.plan([Sample.facts(1)], [1: two]))
        #expect(Set(work.links.map(\.todo)).count == 3)
    }

    @Test(arguments: ["same message", "message in the inbox", "message that left", "store's word"])
    func `no second task is made while the first one is open`(_ how: String) {
        var facts = Sample.facts(2)
        var older = Sample.facts(1)
        func id(_ uid: UInt32) -> TodoID {
            TodoIdentity.make(
                account: Sample.account, messageID: MessageID("m\(uid)@example.org"),
                message: EmailID(rawValue: "m\(uid)"), rule: "ask")
        }
        var inbox = [facts]
        var todoRules: [TodoID: String] = [:]
        switch how {
        case "same message":
            facts.openTodos = [id(2)]
            inbox = [facts]
        case "message in the inbox":
            facts.openTodos = [id(1)]
            older.openTodos = [id(1)]
            inbox = [older, facts]
        case "message that left":
            facts.openTodos = [id(1)]
            facts.headers = [HeaderField(name: "references", body: "<x@y>\t<m1@example.org> junk")]
            inbox = [facts]
        case _:
            facts.openTodos = [TodoID("made-elsewhere")]
            todoRules = [TodoID("made-elsewhere"): "ask"]
            inbox = [facts]
        }
        let plan = Sample.plan(
            inbox,
            [
                2: Judgement(decisions: [
                    Sample.decision("ask", Sample.task()), Sample.decision("ask", .archive),
                ])
            ],
            todoRules: todoRules)
        let item = plan.items.last
        let isOwn = how == "same message"
        #expect(item?.decisions == [Sample.decision("ask", isOwn ? .archive : .keep)])
        #expect(
            item?.warnings == [
                "rule ask: the thread already has its open task, so no second task is made"
                    + (isOwn ? "" : ", and the message stays")
            ])
    }

    @Test func `the open task of another rule does not count`() {
        var facts = Sample.facts(1)
        facts.openTodos = [TodoID("x")]
        let plan = Sample.plan(
            [facts], [1: Judgement(decisions: [Sample.decision("ask", Sample.task())])],
            todoRules: [TodoID("x"): "other"])
        #expect(plan.items.first?.decisions.count == 1)
    }

    @Test func `the id of a task never changes`() {
        let id = TodoIdentity.make(
            account: AccountID("work"), messageID: MessageID("a@b"), message: EmailID(rawValue: "m"),
            rule: "r")
        // UUIDv5 of "work\0a@b\0r": tasks of people's folders depend on it.
        #expect(id.rawValue == "478aac67-986d-5fb7-b4c3-5820a9686677")
        // One without something on both sides of an @ names nothing.
        for word in ["constant", "@", "a@", "@b"] {
            let others = ["m", "n"].map { message in
                TodoIdentity.make(
                    account: AccountID("work"), messageID: MessageID(word),
                    message: EmailID(rawValue: message),
                    rule: "r")
            }
            #expect(others[0] != others[1])
        }
        let nameless = TodoIdentity.make(
            account: AccountID("work"), messageID: nil, message: EmailID(rawValue: "m"), rule: "r")
        #expect(nameless != id)
    }
}
