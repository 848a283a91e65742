import Models
import Rules

/// The judgements on all messages, each on its own and in its current state. It can judge a message again, as
/// a triage between two arrivals would have seen it.
struct Judging {
    /// Messages to which the same rules apply.
    struct Group {
        var messages: [MessageFacts]
        var rules: RuleSet
    }

    /// Without header and text, except for the identifiers by which a conversation finds its tasks.
    private(set) var inbox: [MessageFacts]
    private(set) var judgements: [Judgement]
    /// The facts used by rules that a triage can change.
    let changingFacts: ChangingFacts
    private let context: RuleContext
    private let isComplete: Bool
    /// For each group, the index of its first message and the evaluator.
    private let evaluators: [(start: Int, evaluator: RuleEvaluator)]

    /// Evaluates the rules. `isComplete`: the facts include header and text; otherwise `content` reads them
    /// when rules need them.
    init<Failure: Error>(
        _ groups: [Group], context: RuleContext, isComplete: Bool,
        reading content: ContentOnDemand.Reader<Failure>
    ) throws(Failure) {
        var inbox: [MessageFacts] = []
        var judgements: [Judgement] = []
        var evaluators: [(start: Int, evaluator: RuleEvaluator)] = []
        var changingFacts: ChangingFacts = []
        for group in groups {
            let start = inbox.count
            let evaluator = group.rules.evaluator(in: context)
            evaluators.append((start, evaluator))
            changingFacts.formUnion(group.rules.changingFacts)
            // The first group, usually the only one, is not copied.
            inbox = inbox.isEmpty ? group.messages : inbox + group.messages
            judgements.reserveCapacity(inbox.count)
            for part in try JudgedPart.parts(of: group, evaluator, context, isComplete, reading: content) {
                judgements += part.judgements
                for (index, headers) in part.named { inbox[start + index].headers = headers }
            }
        }
        self.inbox = inbox
        self.judgements = judgements
        self.evaluators = evaluators
        self.changingFacts = changingFacts
        self.context = context
        self.isComplete = isComplete
    }

    /// Final judgements that were made elsewhere.
    init(inbox: [MessageFacts], judgements: [Judgement]) {
        self.inbox = inbox
        self.judgements = zip(inbox, judgements).map { $1.restrained(by: $0.exceededLimits) }
        evaluators = []
        changingFacts = []
        context = RuleContext(now: Timestamp(seconds: 0), timeZone: "UTC")
        isComplete = true
    }

    /// Judges one message again.
    ///
    /// - Parameters:
    ///   - index: Its index in the inbox.
    ///   - sight: The state that the triage sees.
    ///   - content: Reads header and text when rules need them.
    /// - Returns: The decisions of the rules in that state.
    /// - Throws: What `content` throws.
    func judge<Failure: Error>(
        _ index: Int, seeing sight: Sight, reading content: ContentOnDemand.Reader<Failure>
    ) throws(Failure) -> Judgement {
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
            for todo in sight.made.values where todo.isDraftedWait {
                context.waitsSince.updateValue(nil, forKey: todo.id)
            }
        }
        evaluator.surround(by: context)
        defer { evaluator.surround(by: self.context) }
        var judgement = Judgement()
        try ContentOnDemand.look(
            at: [sight.facts][...], having: isComplete ? .content : [], reading: content
        ) { _, facts, having in
            switch evaluator.answer(facts, having: having) {
            case .asks(let needs): return needs
            case .decided(let evaluation):
                judgement = Judgement(evaluation).restrained(by: facts.limits(having))
                return []
            }
        }
        return judgement
    }

    /// The conversations in which a message requests a task, if that is known beforehand.
    var threadsWithTasks: [ThreadID] {
        let isKnown = !changingFacts.contains(.thread)
        var threads: Set<ThreadID> = []
        for (facts, judgement) in zip(inbox, judgements)
        where !isKnown || judgement.decisions.contains(where: { $0.action.makesTask }) {
            threads.insert(facts.thread)
        }
        return Array(threads)
    }

    /// Every message of the conversation, each once; nil: no rule needs it.
    func conversation(_ thread: ThreadID) -> [MessageFacts]? { context.threads[thread] }
}

/// The state of a message in one triage, without the parts that are the same for all triages.
struct Sight {
    /// With the marks and the open tasks at that time.
    var facts: MessageFacts
    /// The conversation with the marks and places at that time; nil: no rule needs it.
    var conversation: [MessageFacts]?
    /// Messages of the conversation that had not arrived yet.
    var notYet: Set<EmailID> = []
    /// The tasks that this plan made earlier.
    var made: [TodoID: Todo] = [:]
    /// The rules that already acted on the message in this plan.
    var met: Set<RememberedMatch> = []
}

extension Todo {
    /// Whether it was just made for a delegation whose mail is only a draft: the wait has not begun.
    fileprivate var isDraftedWait: Bool {
        delegatedMessageID != nil && notes.hasSuffix(Todo.draftedWait)
    }
}
