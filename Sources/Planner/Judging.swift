import Models
import Rules

/// Messages after the rules judged them, each on its own and as it is now; and a way to judge one of them again, as a
/// triage between two arrivals would have seen it.
struct Judging {
    /// Messages to which the same rules apply.
    struct Group {
        var messages: [MessageFacts]
        var rules: RuleSet
    }

    /// Without what was read, except for the names by which a conversation knows its tasks.
    private(set) var inbox: [MessageFacts]
    private(set) var judgements: [Judgement]
    /// The facts for rules that a triage can change.
    let changingFacts: ChangingFacts
    private let context: RuleContext
    private let isComplete: Bool
    /// By group, the first of its messages and their judge.
    private let evaluators: [(start: Int, evaluator: RuleEvaluator)]

    /// Asks the rules. `isComplete`: the facts hold header and text; else `content` reads them where rules ask.
    init(
        _ groups: [Group], context: RuleContext, isComplete: Bool, reading content: Planning.ContentReader
    ) rethrows {
        var inbox: [MessageFacts] = []
        var judgements: [Judgement] = []
        var evaluators: [(start: Int, evaluator: RuleEvaluator)] = []
        var changingFacts: ChangingFacts = []
        for group in groups {
            let evaluator = group.rules.evaluator(in: context)
            evaluators.append((inbox.count, evaluator))
            changingFacts.formUnion(group.rules.changingFacts)
            let (named, judged) = try Self.judge(group, evaluator, isComplete, reading: content)
            inbox += named
            judgements += judged
        }
        self.inbox = inbox
        self.judgements = judgements
        self.evaluators = evaluators
        self.changingFacts = changingFacts
        self.context = context
        self.isComplete = isComplete
    }

    /// Final judgements made elsewhere.
    init(inbox: [MessageFacts], judgements: [Judgement]) {
        self.inbox = inbox
        self.judgements = zip(inbox, judgements).map { $1.restrained(by: $0.exceededLimits) }
        evaluators = []
        changingFacts = []
        context = RuleContext(now: Timestamp(seconds: 0), timeZone: "UTC")
        isComplete = true
    }

    private static func judge(
        _ group: Group, _ evaluator: RuleEvaluator, _ isComplete: Bool,
        reading content: Planning.ContentReader
    ) rethrows -> ([MessageFacts], [Judgement]) {
        let namesTasks = !isComplete && group.rules.needs.contains(.headers)
        var named = group.messages
        // A message that leaves the store meanwhile cannot be judged, and is kept.
        var judgements = Array(repeating: Judgement(), count: named.count)
        try ContentOnDemand.look(
            at: group.messages, having: isComplete ? .content : [], reading: content
        ) { index, facts, having in
            if !isComplete, !facts.openTodos.isEmpty {
                if namesTasks, having.isEmpty { return .headers }
                named[index].headers = facts.headers.filter(\.namesMessages)
            }
            switch evaluator.answer(facts, having: having) {
            case .asks(let needs): return needs
            case .decided(let evaluation):
                judgements[index] = Judgement(evaluation).restrained(by: facts.exceededLimits)
                return []
            }
        }
        return (named, judgements)
    }

    /// Judges one message again.
    ///
    /// - Parameters:
    ///   - index: Its place in the inbox.
    ///   - sight: What the triage in question sees of it.
    ///   - content: Reads header and text where rules ask.
    /// - Returns: What the rules say then.
    func judge(
        _ index: Int, seeing sight: Sight, reading content: Planning.ContentReader
    ) rethrows -> Judgement {
        guard let evaluator = evaluators.last(where: { $0.start <= index })?.evaluator else {
            return judgements[index].without(sight.met)
        }
        var context = context
        context.planned = sight.met
        context.notYet = sight.notYet
        if let conversation = sight.conversation {
            context.threads = [sight.facts.thread: conversation]
        }
        if !sight.made.isEmpty {
            context.todos = [:]
            for id in sight.facts.openTodos { context.todos[id] = sight.made[id] ?? self.context.todos[id] }
        }
        evaluator.surround(by: context)
        defer { evaluator.surround(by: self.context) }
        var judgement = Judgement()
        try ContentOnDemand.look(
            at: [sight.facts], having: isComplete ? .content : [], reading: content
        ) { _, facts, having in
            switch evaluator.answer(facts, having: having) {
            case .asks(let needs): return needs
            case .decided(let evaluation):
                judgement = Judgement(evaluation).restrained(by: facts.exceededLimits)
                return []
            }
        }
        return judgement
    }

    /// The conversations in which some message asks for a task, as far as that is known beforehand.
    var threadsWithTasks: [ThreadID] {
        let isKnown = !changingFacts.contains(.thread)
        var threads: Set<ThreadID> = []
        for (facts, judgement) in zip(inbox, judgements)
        where !isKnown || judgement.decisions.contains(where: { $0.action.makesTask }) {
            threads.insert(facts.thread)
        }
        return Array(threads)
    }

    /// Every message of the conversation, each once; nil: no rule asks for it.
    func conversation(_ thread: ThreadID) -> [MessageFacts]? { context.threads[thread] }
}

/// What a triage sees of a message, beside what is the same for all of them.
struct Sight {
    /// With the marks and the open tasks of then.
    var facts: MessageFacts
    /// The conversation with the marks and places of then; nil: no rule asks for it.
    var conversation: [MessageFacts]?
    /// Messages of it that had not arrived yet.
    var notYet: Set<EmailID> = []
    /// The tasks that this plan made before.
    var made: [TodoID: Todo] = [:]
    /// The rules that already acted on the message in this plan.
    var met: Set<RememberedMatch> = []
}

extension HeaderField {
    /// Whether it refers to other messages. RFC 5322 §3.6.4.
    fileprivate var namesMessages: Bool {
        let name = name.lowercased()
        return name == "references" || name == "in-reply-to"
    }
}
