import Models
import Rules

/// An inbox after the rules looked at it.
struct Judging {
    /// Without what was read, except for the names by which a conversation knows its tasks.
    private(set) var inbox: [MessageFacts]
    private(set) var judgements: [Judgement]

    /// Asks the rules. `isComplete`: the facts hold header and text; else `content` reads them where rules ask.
    init(
        inbox: [MessageFacts], rules: RuleSet, context: RuleContext, isComplete: Bool,
        reading content: Planner.ContentReader
    ) rethrows {
        let evaluator = rules.evaluator(in: context)
        let namesTasks = !isComplete && rules.needs.contains(.headers)
        var named = inbox
        // What leaves the store meanwhile cannot be judged, and is kept.
        var judgements = Array(repeating: Judgement(), count: inbox.count)
        try ContentOnDemand.look(at: inbox, having: isComplete ? .content : [], reading: content) {
            index, facts, having in
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
        self.inbox = named
        self.judgements = judgements
    }

    /// What somebody else has judged.
    init(inbox: [MessageFacts], judgements: [Judgement]) {
        self.inbox = inbox
        self.judgements = zip(inbox, judgements).map { $1.restrained(by: $0.exceededLimits) }
    }
}

extension HeaderField {
    /// Whether it refers to other messages. RFC 5322 §3.6.4.
    fileprivate var namesMessages: Bool {
        let name = name.lowercased()
        return name == "references" || name == "in-reply-to"
    }
}
