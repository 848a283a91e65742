import Models
import Rules
import Testing

@testable import Planner

/// The promise of docs/decisions/0003: it does not matter when triage runs.
@Suite struct BatchTimingTests {
    /// A mailbox, its tasks and what was remembered, as far as a decision can see them.
    struct World: Equatable {
        var inbox: [UInt32] = []
        var places: [UInt32: String] = [:]
        var todos: [TodoID: String] = [:]
        var threads: [TodoID: ThreadID] = [:]
        var labels: [UInt32: Set<Keyword>] = [:]
        var remembered: Set<RememberedMatch> = []
        var deferrals: [String: Timestamp] = [:]
        var stepCount = 0

        static func == (a: Self, b: Self) -> Bool {
            a.inbox.sorted() == b.inbox.sorted() && a.places == b.places && a.todos == b.todos
                && a.labels == b.labels && a.deferrals == b.deferrals
        }

        mutating func triage(_ messages: [UInt32: MessageFacts], _ judgements: [UInt32: Judgement]) throws {
            let facts = inbox.compactMap { messages[$0] }.map { facts in
                var facts = facts
                facts.openTodos = todos.keys.filter { threads[$0] == facts.thread }.sorted()
                facts.keywords = labels[facts.key.uid] ?? []
                return facts
            }
            var plan = Plan(
                account: Sample.account, now: Sample.now, timeZone: "Europe/Paris", rulesDigest: "d")
            plan.items = Planner.items(inbox: facts, account: Sample.account, todoRules: todos) { facts in
                var judgement = judgements[facts.key.uid] ?? Judgement()
                judgement.decisions.removeAll {
                    remembered.contains(RememberedMatch(rule: $0.rule, message: facts.id))
                }
                return judgement
            }
            try apply(Sample.work(plan))
        }

        private mutating func apply(_ work: QueuedWork) throws {
            stepCount += work.steps.count
            remembered.formUnion(work.remembered)
            for link in work.links { threads[link.todo] = link.thread }
            for deferral in work.deferrals { deferrals[deferral.message.rawValue] = deferral.until }
            for step in work.steps {
                switch step.kind {
                case .createTodo(let todo):
                    #expect(todos[todo.id] == nil, "a task was made twice")
                    todos[todo.id] = step.rule
                case .store(let key, _, _, let add, let remove):
                    #expect(inbox.contains(key.uid), "a mark after the move")
                    labels[key.uid, default: []].formUnion(add)
                    labels[key.uid]?.subtract(remove)
                case .move(let key, let mailbox):
                    #expect(places[key.uid] == nil, "two moves of one message")
                    places[key.uid] = mailbox.name.description
                    inbox.removeAll { $0 == key.uid }
                case .append, .submit, .updateTodo, .removeTodo, .restoreTodo, .remove, .wait, .saveFile,
                    .removeFile:
                    break
                }
            }
        }
    }

    @Test(arguments: 0..<400)
    func `triage after each arrival, after some and after all give the same`(_ seed: Int) throws {
        var generator = SplitMix(seed: UInt64(seed))
        let count = UInt32.random(in: 1...8, using: &generator)
        var messages: [UInt32: MessageFacts] = [:]
        var judgements: [UInt32: Judgement] = [:]
        for uid in 1...count {
            var facts = Sample.facts(uid, thread: ["a", "b"].randomElement(using: &generator) ?? "a")
            if Bool.random(using: &generator) {
                facts.received = Timestamp(seconds: 1_773_000_000) + Int64(uid / 3) * 60
            }
            facts.received = max(facts.received, messages[uid - 1]?.received ?? facts.received)
            messages[uid] = facts
            judgements[uid] = Self.judgement(uid, &generator)
        }
        var oneByOne = World()
        var atOnce = World()
        var sometimes = World()
        for uid in 1...count {
            oneByOne.inbox.append(uid)
            try oneByOne.triage(messages, judgements)
            atOnce.inbox.insert(uid, at: 0)
            sometimes.inbox.append(uid)
            if Bool.random(using: &generator) { try sometimes.triage(messages, judgements) }
        }
        try atOnce.triage(messages, judgements)
        try sometimes.triage(messages, judgements)
        #expect(oneByOne == atOnce)
        #expect(oneByOne == sometimes)
        let steps = atOnce.stepCount
        try atOnce.triage(messages, judgements)
        #expect(atOnce.stepCount == steps, "a second run has something to do")
    }

    private static func judgement(_ uid: UInt32, _ generator: inout SplitMix) -> Judgement {
        var decisions: [Plan.Decision] = []
        if Int.random(in: 0..<3, using: &generator) == 0 {
            decisions.append(Sample.decision("label", .label(Keyword("work"))))
        }
        for rule in ["ask", "pay"] where Int.random(in: 0..<3, using: &generator) == 0 {
            decisions.append(Sample.decision(rule, Sample.task("\(rule) \(uid)")))
        }
        switch Int.random(in: 0..<10, using: &generator) {
        case 0, 1: decisions.append(Sample.decision("done", .archive))
        case 2: decisions.append(Sample.decision("file", .move(to: Sample.projects)))
        case 3: decisions.append(Sample.decision("later", .deferUntil(Sample.now + 3_600 * Int64(uid))))
        case 4: decisions.append(Sample.decision("spam", .junk))
        case 5: decisions.append(Sample.decision("bin", .trash))
        case 6: decisions.append(Sample.decision("hold", .keep))
        case _: break
        }
        let isProtected = Int.random(in: 0..<6, using: &generator) == 0
        return Judgement(decisions: decisions, protectedBy: isProtected ? "open work" : nil)
    }

    @Test func `the same facts give the same plan and the same steps`() throws {
        let inbox = (1...6).map { Sample.facts(UInt32($0), thread: $0 % 2 == 0 ? "a" : "b") }
        var generator = SplitMix(seed: 5)
        var judgements: [UInt32: Judgement] = [:]
        for uid in 1...6 as ClosedRange<UInt32> { judgements[uid] = Self.judgement(uid, &generator) }
        let plans = (0..<20).map { _ in Sample.plan(inbox, judgements) }
        #expect(Set(plans).count == 1)
        #expect(Set(try plans.map { try Sample.work($0) }).count == 1)
    }
}
