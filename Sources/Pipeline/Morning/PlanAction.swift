/// An action that the user chose for a message instead of those of the plan.
public enum PlanAction: Hashable, Sendable {
    case verb(HandVerb)
    /// A task on the list next; without a title, the subject is used.
    case task(title: String)
    case delegate(to: String)

    /// Parses a typed action: `archive`, `trash`, `junk`, `flag`, `read`, `defer friday`, `move NAME`, `label
    /// NAME`, `task`, `task TITLE`, `delegate ADDRESS`; nil: it is not an action.
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
