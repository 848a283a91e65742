import Models
import Rules

/// An inbox while the rules look at it: what they can judge by the rows is judged at once, for the rest header and text are
/// read, some hundreds of messages at a time, and let go.
///
/// A message is judged again from the first rule when it was read, so the answer is the one that complete facts give.
struct Judging {
    /// Without what was read, except for the names by which a conversation knows its tasks.
    private(set) var inbox: [MessageFacts]
    private(set) var judgements: [Judgement] = []
    private let evaluator: RuleEvaluator?
    /// Messages that are to be read, by what is asked for.
    private var asking: [(index: Int, needs: FactNeeds)] = []

    private static let chunk = 500

    /// `isComplete`: the facts hold header and text.
    init(inbox: [MessageFacts], rules: RuleSet, context: RuleContext, isComplete: Bool) {
        self.inbox = inbox
        evaluator = rules.evaluator(in: context)
        judgements.reserveCapacity(inbox.count)
        let namesTasks = !isComplete && rules.needs.contains(.headers)
        for index in inbox.indices {
            judgements.append(Judgement())
            if namesTasks, !inbox[index].openTodos.isEmpty {
                asking.append((index, .headers))
            } else {
                judge(inbox[index], index, having: isComplete ? .content : [])
            }
        }
    }

    /// What somebody else has judged.
    init(inbox: [MessageFacts], judgements: [Judgement]) {
        self.inbox = inbox
        evaluator = nil
        self.judgements = zip(inbox, judgements).map { $1.restrained(by: $0.exceededLimits) }
    }

    /// Reads what the rules ask for, until nothing is open.
    mutating func read(_ content: Planner.ContentReader) rethrows {
        while !asking.isEmpty {
            let open = asking
            asking = []
            for start in stride(from: 0, to: open.count, by: Self.chunk) {
                try read(open[start..<min(start + Self.chunk, open.count)], content)
            }
        }
    }

    private mutating func read(
        _ open: ArraySlice<(index: Int, needs: FactNeeds)>, _ content: Planner.ContentReader
    ) rethrows {
        for needs in [FactNeeds.headers, .content] {
            let wanted = open.filter { $0.needs == needs }
            guard !wanted.isEmpty else { continue }
            let found = try content(wanted.map { inbox[$0.index].id }, needs)
            for (index, _) in wanted {
                var facts = inbox[index]
                // What left the store meanwhile cannot be judged, and is kept.
                guard let content = found[facts.id] else { continue }
                facts.take(content)
                judge(facts, index, having: needs)
                if !facts.openTodos.isEmpty { inbox[index].headers = facts.headers.filter(\.namesMessages) }
            }
        }
    }

    private mutating func judge(_ facts: MessageFacts, _ index: Int, having: FactNeeds) {
        switch evaluator?.answer(facts, having: having) {
        case .decided(let evaluation):
            judgements[index] = Judgement(evaluation).restrained(by: facts.exceededLimits)
        // Whoever needs the text may next ask for the header: one look for both.
        case .asks(let needs): asking.append((index, needs == .headers ? having.union(needs) : .content))
        case nil: break
        }
    }
}

extension HeaderField {
    /// Whether it refers to other messages. RFC 5322 §3.6.4.
    fileprivate var namesMessages: Bool {
        let name = name.lowercased()
        return name == "references" || name == "in-reply-to"
    }
}
