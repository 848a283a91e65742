public import Models

/// What the user does with a message in place of what the plan says.
public enum PlanAction: Hashable, Sendable {
    case verb(HandVerb)
    /// A task of it on the list next; without a title, the subject is the title.
    case task(title: String)
    case delegate(to: String)

    /// An action as it is typed: `archive`, `trash`, `junk`, `flag`, `read`, `defer friday`, `move NAME`, `label NAME`, `task`,
    /// `task TITLE`, `delegate ADDRESS`; nil: it is none.
    public init?(typed: String) {
        let words = typed.split(separator: " ", maxSplits: 1)
        guard let first = words.first?.lowercased() else { return nil }
        let word = first.hasSuffix(":") ? String(first.dropLast()) : first
        let value = words.count > 1 ? String(words[1]) : ""
        switch (word, value.isEmpty) {
        case ("archive", true): self = .verb(HandVerb(.archive))
        case ("trash", true): self = .verb(HandVerb(.trash))
        case ("junk", true): self = .verb(HandVerb(.junk))
        case ("flag", true): self = .verb(HandVerb(.flag))
        case ("read", true): self = .verb(HandVerb(.read))
        case ("defer", false): self = .verb(HandVerb(.deferUntil(value), isForced: true))
        case ("move", false): self = .verb(HandVerb(.move(to: value)))
        case ("label", false): self = .verb(HandVerb(.label(value)))
        case ("task", _): self = .task(title: value)
        case ("delegate", false): self = .delegate(to: value)
        case _: return nil
        }
    }
}

extension Session {
    /// Refuses a mailbox, a day or an address that cannot be, before the plan is applied.
    public func check(_ action: PlanAction, of message: EmailID) throws {
        switch action {
        case .verb(let verb): _ = try byHand.plans(for: verb, ids: [message.rawValue])
        case .task: _ = try taskMail.title(ofMessage: message.rawValue)
        case .delegate(let whom): try waitMaking.check(whom, for: message.rawValue)
        }
    }

    /// Carries it out: the report of each run, with the plan where there is one.
    func carryOut(_ own: PlanChoice.Own) async throws -> [(report: RunReport, plan: Plan?)] {
        let id = own.message.rawValue
        switch own.action {
        case .verb(let verb):
            var done: [(report: RunReport, plan: Plan?)] = []
            for plan in try byHand.plans(for: verb, ids: [id]) {
                done.append((try await byHand.apply(plan, verb: verb), plan))
            }
            return done
        case .task(let title):
            let draft = try taskMail.draft(
                ofMessage: id, title: title.isEmpty ? nil : title, on: .next, TodoPatch())
            return [(try await taskMail.make(draft, of: id), nil)]
        case .delegate(let whom):
            let delegated = try await waitMaking.delegate(id, to: whom, note: "", until: nil, onReply: nil)
            return [(delegated.report, nil)]
        }
    }
}
