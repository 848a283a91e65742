/// A yes-or-no property of a message: its test, the facts that it needs, a text about the actual value, and
/// its Sieve test.
struct State: Sendable {
    /// The name of the condition, such as `is:unread`.
    let name: String
    /// The facts that must be read before the condition can be judged.
    var needs: FactNeeds = []
    /// The header fields that it uses.
    var headerNames: Set<String> = []
    /// The facts that a triage may change.
    var changing: ChangingFacts = []
    /// Set if the index may look up rules by it; the lower, the rarer it is, or the cheaper to look up. See
    /// ``Signs/rank``.
    var rank: Int?
    /// The test for a mail server when a message arrives; nil: unknown at that time.
    var sieve: SieveCondition?
    /// Set if `sieve` does not find all such messages: a test that finds all of them, and others.
    var sieveAtMost: SieveCondition?
    let holds: @Sendable (any MessageSight) -> Truth
    /// The message's value, for `explain`.
    let seen: @Sendable (any MessageSight) -> String
}

extension State: Hashable {
    static func == (one: State, other: State) -> Bool { one.name == other.name }
    func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
