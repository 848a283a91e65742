/// A yes-or-no fact of a message: how it is tested, the facts that it needs, what a message shows instead, and its
/// Sieve test.
struct State: Sendable {
    /// As the condition is called: `is:unread`.
    let name: String
    /// The facts that must be read before the condition can be judged.
    var needs: FactNeeds = []
    /// The header fields that it looks at.
    var headerNames: Set<String> = []
    /// The facts that a triage may change.
    var changing: ChangingFacts = []
    /// Set where rules are looked up by it: the better sign of two is rarer, or costs less to look for.
    var rank: Int?
    /// The test for a mail server when a message arrives; nil: not known then.
    var sieve: SieveCondition?
    let holds: @Sendable (any MessageSight) -> Truth
    /// The message's value, for `explain`.
    let seen: @Sendable (any MessageSight) -> String
}

extension State: Hashable {
    static func == (one: State, other: State) -> Bool { one.name == other.name }
    func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
