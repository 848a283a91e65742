import Dispatch
import Models
import Rules
import Synchronization

/// The judgements on a part of the messages of a group. All processors judge at once, each another part.
struct JudgedPart: Sendable {
    /// One for each message of the part, in their order.
    private(set) var judgements: [Judgement]
    /// By the index of a message in the group: the fields by which a conversation finds its tasks.
    private(set) var named: [Int: [HeaderField]] = [:]

    /// The number of messages in a part. Each part prepares the rules again, which takes as long as about 100 messages.
    private static let length = 4_000

    /// Judges all messages of the group. The result does not depend on the number of processors.
    ///
    /// - Parameters:
    ///   - group: The messages and their rules.
    ///   - evaluator: The rules, prepared; used if one part is enough.
    ///   - context: The fixed inputs.
    ///   - isComplete: The facts include header and text; otherwise `content` reads them when rules need them.
    ///   - content: Reads header and text.
    /// - Returns: The parts in the order of the messages.
    /// - Throws: What `content` throws.
    static func parts<Failure: Error>(
        of group: Judging.Group, _ evaluator: RuleEvaluator, _ context: RuleContext, _ isComplete: Bool,
        reading content: ContentOnDemand.Reader<Failure>
    ) throws(Failure) -> [JudgedPart] {
        let count = group.messages.count
        guard count > length else {
            return [try JudgedPart(group, 0..<count, evaluator, isComplete, reading: content)]
        }
        let ranges = stride(from: 0, to: count, by: length).map { $0..<min($0 + length, count) }
        let judged = Mutex([Result<JudgedPart, Failure>?](repeating: nil, count: ranges.count))
        DispatchQueue.concurrentPerform(iterations: ranges.count) { number in
            let part = Result { () throws(Failure) in
                try JudgedPart(
                    group, ranges[number], group.rules.evaluator(in: context), isComplete, reading: content)
            }
            judged.withLock { $0[number] = part }
        }
        var parts: [JudgedPart] = []
        for part in judged.withLock(\.self) {
            if let part { parts.append(try part.get()) }
        }
        return parts
    }

    private init<Failure: Error>(
        _ group: Judging.Group, _ range: Range<Int>, _ evaluator: RuleEvaluator, _ isComplete: Bool,
        reading content: ContentOnDemand.Reader<Failure>
    ) throws(Failure) {
        let namesTasks = !isComplete && group.rules.needs.contains(.headers)
        // A message that was deleted from the store meanwhile cannot be judged, and is kept.
        var judgements = Array(repeating: Judgement(), count: range.count)
        var named: [Int: [HeaderField]] = [:]
        try ContentOnDemand.look(
            at: group.messages[range], having: isComplete ? .content : [], reading: content
        ) { index, facts, having in
            if !isComplete, !facts.openTodos.isEmpty {
                if namesTasks, having.isEmpty { return .headers }
                named[index] = facts.headers.filter(\.namesMessages)
            }
            switch evaluator.answer(facts, having: having) {
            case .asks(let needs): return needs
            case .decided(let evaluation):
                judgements[index - range.lowerBound] =
                    Judgement(evaluation).restrained(by: facts.limits(having))
                return []
            }
        }
        self.judgements = judgements
        self.named = named
    }
}

extension HeaderField {
    /// Whether it refers to other messages. RFC 5322 §3.6.4.
    fileprivate var namesMessages: Bool {
        let name = name.lowercased()
        return name == "references" || name == "in-reply-to"
    }
}
