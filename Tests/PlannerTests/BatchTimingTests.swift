import Models
import Rules
import TestSupport
import Testing

@testable import Planner

/// The promise of docs/decisions/0003: it does not matter when triage runs. Kept by rules that look at what other rules and
/// other mails make: tasks, waiting, protection, marks, the conversation, the writer.
@Suite struct BatchTimingTests {
    static let text = """
        rules-version: 1
        protect:
          - flagged: is:flagged
          - bob waits: task:waiting from:bob@example.org
        rules:
          - { id: label, when: subject:label, then: { label: work } }
          - { id: star, when: subject:star, then: flag }
          - { id: new, when: sender:first-seen, then: { label: new } }
          - { id: first, when: 'thread:size<2 subject:plan', then: { label: first } }
          - { id: long, when: 'thread:size>3', then: { label: long } }
          - { id: starred, when: 'thread:has(is:flagged) subject:plan', then: { label: starred } }
          - { id: open, when: 'has:open-task subject:plan', then: { label: open } }
          - { id: worked, when: 'label:work subject:plan', then: { move: Projects } }
          - { id: filed, when: 'thread:has(in:archive) subject:file', then: { move: Projects } }
          - { id: ask, when: subject:ask, unless: has:open-task, then: { task: { title: '{{subject}}' } } }
          - { id: pay, when: subject:pay, then: [{ task: { title: '{{subject}}' } }, archive] }
          - { id: over, when: subject:over, unless: task:waiting, then: [{ delegate: { to: eve@example.org } }, archive] }
          - { id: wait, when: subject:wait, then: [{ task: { title: '{{subject}}', list: waiting } }, { label: waits }] }
          - { id: later, when: subject:later, then: [{ defer: tomorrow 09:00 }] }
          - { id: spam, when: subject:spam, then: junk }
          - { id: bin, when: subject:bin, then: trash }
          - { id: hold, when: subject:hold, then: keep }
          - { id: done, when: subject:done, then: archive }
        """
    static let words = [
        "label", "star", "plan", "file", "ask", "pay", "over", "wait", "later", "spam", "bin", "hold", "done",
        "none",
    ]
    static let rules: RuleSet = {
        let (rules, diagnostics) = RuleSet.compile(
            [RuleSet.Source(file: "rules/a.yaml", text: text)], accounts: [], readList: { _ in nil })
        precondition(diagnostics.allSatisfy { $0.severity != .error }, "\(diagnostics)")
        return rules
    }()

    /// A mailbox, its tasks and what was remembered, as far as a decision can see them.
    struct World {
        var arrived: [UInt32: MessageFacts] = [:]
        var places: [UInt32: Mailbox] = [:]
        var todos: [TodoID: Todo] = [:]
        var todoRules: [TodoID: String] = [:]
        var threads: [TodoID: ThreadID] = [:]
        var remembered: Set<RememberedMatch> = []
        var deferrals: [String: Timestamp] = [:]
        /// The newest message when each message was deferred.
        var newest: [String: UInt32] = [:]
        var stepCount = 0

        /// What people see.
        var state: [String] {
            arrived.keys.sorted().map { uid in
                let facts = arrived[uid]
                let marks = (facts?.flags.map(\.rawValue) ?? []) + (facts?.keywords.map(\.rawValue) ?? [])
                return "\(uid) \(places[uid]?.displayName ?? "INBOX") \(marks.sorted())"
            } + todos.values.map { "\($0.id) \($0.list) \($0.summary)" }.sorted()
                + deferrals.map { "\($0) \($1)" }.sorted()
        }

        /// One run: deferred mail that got an answer comes back, then the rules decide.
        mutating func run(newestFirst: Bool) throws {
            let plan = decide(newestFirst: newestFirst)
            let leaving = Set(plan.items.filter { $0.disposition.name == .deferUntil }.map(\.key.uid))
            wake { !leaving.contains($0.key.uid) }
            try apply(Sample.work(decide(newestFirst: newestFirst)))
        }

        /// Returns the deferred messages of each conversation with an answer that arrived later in the inbox.
        private mutating func wake(_ isAnswer: (MessageFacts) -> Bool) {
            let deferred = arrived.values.filter { places[$0.key.uid] == Sample.deferred }
            let answers = arrived.values.filter { places[$0.key.uid] == nil }
            let awake = deferred.filter { message in
                answers.contains { answer in
                    isAnswer(answer) && answer.key.uid > newest[message.id.rawValue] ?? 0
                        && Company().includes(message, with: answer)
                }
            }.map(\.thread)
            for message in deferred where awake.contains(message.thread) {
                places[message.key.uid] = nil
                deferrals[message.id.rawValue] = nil
                arrived[message.key.uid]?.flags.remove(.seen)
                stepCount += 1
            }
        }

        private func decide(newestFirst: Bool) -> Plan {
            let now = arrived.values.map { facts in
                var facts = facts
                facts.openTodos = todos.keys.filter { threads[$0] == facts.thread }.sorted()
                facts.mailbox = places[facts.key.uid] ?? Sample.inbox
                return facts
            }
            let inbox = now.filter { places[$0.key.uid] == nil }.sorted { $0.key.uid < $1.key.uid }
            var context = RuleContext(now: Sample.now, timeZone: "Europe/Paris", remembered: remembered)
            context.mailboxes = [Sample.inbox, Sample.archive, Sample.deferred, Sample.projects]
            context.todos = todos
            // All delegations of these rules are drafts.
            for todo in todos.values where todo.delegatedMessageID != nil {
                context.waitsSince.updateValue(nil, forKey: todo.id)
            }
            context.threads = Dictionary(grouping: now, by: \.thread)
            let arrivals = Dictionary(grouping: now, by: { $0.from.first?.comparable ?? "" })
                .mapValues { $0.map(\.received).sorted() }
            context.writerRanks = WriterRanks.of(inbox, arrivals: arrivals)
            var request = Planning.Request(account: Sample.account, rulesDigest: "d")
            request.todoRules = todoRules
            return Planning.decide(
                newestFirst ? inbox.reversed() : inbox, BatchTimingTests.rules, context, request,
                isComplete: true, names: { _ in OwnNames() }, isAnswer: { _ in true },
                reading: { _, _ in [:] })
        }

        private mutating func apply(_ work: QueuedWork) throws {
            stepCount += work.steps.count
            remembered.formUnion(work.remembered)
            for link in work.links { (threads[link.todo], todoRules[link.todo]) = (link.thread, link.rule) }
            for deferral in work.deferrals {
                deferrals[deferral.message.rawValue] = deferral.until?.time
                newest[deferral.message.rawValue] = arrived.keys.max()
            }
            for step in work.steps {
                switch step.kind {
                case .createTodo(let todo):
                    #expect(todos[todo.id] == nil, "a task was made twice")
                    todos[todo.id] = todo
                case .store(let key, let addFlags, let removeFlags, let add, let remove):
                    #expect(places[key.uid] == nil, "a mark after the move")
                    arrived[key.uid]?.flags.formUnion(addFlags)
                    arrived[key.uid]?.flags.subtract(removeFlags)
                    arrived[key.uid]?.keywords.formUnion(add)
                    arrived[key.uid]?.keywords.subtract(remove)
                case .move(let key, let mailbox):
                    #expect(places[key.uid] == nil, "two moves of one message")
                    places[key.uid] = mailbox
                case .append, .submit, .updateTodo, .removeTodo, .restoreTodo, .remove, .wait, .saveFile,
                    .removeFile, .list, .createMailbox,
                    .editThreads:
                    break
                }
            }
        }

        /// Until nothing is left to do: what a rule did is a fact for another one in the next triage.
        mutating func settle() throws {
            for _ in 0..<12 {
                let before = stepCount
                try run(newestFirst: true)
                if stepCount == before { return }
            }
            Issue.record("triage comes to no end")
        }
    }

    private static func mailbox(_ seed: Int, threads: [String]) -> [MessageFacts] {
        var generator = SeededGenerator(seed: UInt64(seed))
        let senders = ["ana", "bob", "eve"].map {
            EmailAddress(displayName: "", localPart: $0, domain: "example.org")
        }
        var messages: [MessageFacts] = []
        for uid in 1...UInt32.random(in: 1...9, using: &generator) {
            var facts = Sample.facts(uid, thread: threads.randomElement(using: &generator) ?? "a")
            facts.subject = (0..<Int.random(in: 1...2, using: &generator))
                .compactMap { _ in words.randomElement(using: &generator) }.joined(separator: " ")
            facts.from = [senders.randomElement(using: &generator) ?? senders[0]]
            facts.to = [Sample.facts(1).from[0]]
            if Bool.random(using: &generator) {
                facts.received = Timestamp(seconds: 1_773_000_000) + Int64(uid / 3) * 60
            }
            facts.received = max(facts.received, messages.last?.received ?? facts.received)
            // From here on some were read: these go along with the mail of another writer, too.
            if seed >= 400, (seed / 2 + Int(uid)) % 3 != 0 { facts.flags.insert(.seen) }
            messages.append(facts)
        }
        return messages
    }

    @Test(arguments: 0..<300)
    func `the result is the same after triage of each arrival, of some or of all`(_ seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed) &+ 77)
        let isOneThread = seed % 2 == 0
        var (oneByOne, atOnce, sometimes) = (World(), World(), World())
        for facts in Self.mailbox(seed, threads: isOneThread ? ["a"] : ["a", "b"]) {
            let uid = facts.key.uid
            oneByOne.arrived[uid] = facts
            try oneByOne.run(newestFirst: false)
            atOnce.arrived[uid] = facts
            sometimes.arrived[uid] = facts
            if Bool.random(using: &generator) { try sometimes.run(newestFirst: true) }
        }
        try atOnce.run(newestFirst: true)
        // In several conversations a triage for the mail of one is another triage for the others, too.
        if isOneThread { #expect(oneByOne.state == atOnce.state) }
        try oneByOne.settle()
        try atOnce.settle()
        try sometimes.settle()
        #expect(oneByOne.state == atOnce.state)
        if seed != Self.partlyDeferred { #expect(oneByOne.state == sometimes.state) }
    }

    /// Here a run deferred the first mail of a conversation, and the next run saw the second one and an answer to the first.
    /// The first comes back, and the second is deferred: the answer is not by one of its people. After each arrival, both
    /// would have been in Deferred, and come back together.
    private static let partlyDeferred = 41

    @Test func `the rules of this test all act, except hold`() throws {
        var acted: Set<String> = []
        for seed in 0..<200 {
            var world = World()
            for facts in Self.mailbox(seed, threads: ["a"]) { world.arrived[facts.key.uid] = facts }
            try world.run(newestFirst: true)
            acted.formUnion(world.remembered.map(\.rule))
        }
        #expect(acted == Set(Self.rules.rules.map(\.id)).subtracting(["hold"]))
    }

    @Test func `the same facts give the same plan and the same steps`() throws {
        let inbox = (1...6).map { Sample.facts(UInt32($0), thread: $0 % 2 == 0 ? "a" : "b") }
        let asks = Judgement(decisions: [
            Sample.decision("ask", Sample.task()), Sample.decision("label", .label(Keyword("work"))),
            Sample.decision("done", .archive),
        ])
        let plans = (0..<20).map { _ in Sample.plan(inbox, [1: asks, 2: asks, 3: asks, 6: asks]) }
        #expect(Set(plans).count == 1)
        #expect(Set(try plans.map { try Sample.work($0) }).count == 1)
    }

    @Test func `each mail of a sender has its own number, even within one second`() {
        let time = Timestamp(seconds: 1_773_000_000)
        let mails = (1...4 as ClosedRange<UInt32>).map { uid in
            var facts = Sample.facts(uid)
            facts.received = uid < 3 ? time : time + Int64(uid)
            return facts
        }
        let arrivals = ["ana@example.org": [time - 9, time, time, time, time + 3, time + 4]]
        let ranks = WriterRanks.of([mails[3], mails[1], mails[0]], arrivals: arrivals)
        #expect(ranks == [mails[0].id: 3, mails[1].id: 4, mails[3].id: 6])
    }
}
