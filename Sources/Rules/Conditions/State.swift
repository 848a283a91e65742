/// A yes-or-no fact of a message: how it is tested, the facts that it needs, what a message shows instead, and its
/// Sieve test.
struct State: Sendable {
    /// As the condition is called: `is:unread`.
    let name: String
    /// What has to be read before it can be answered.
    var needs: FactNeeds = []
    /// The header fields that it looks at.
    var headerNames: Set<String> = []
    /// What a triage may change of it.
    var changing: ChangingFacts = []
    /// Set where rules are looked up by it: the better sign of two is rarer, or costs less to look for.
    var rank: Int?
    /// The test for a mail server when a message arrives; nil: not known then.
    var sieve: SieveTest?
    let holds: @Sendable (any MessageSight) -> Truth
    /// What a message shows, in a few words.
    let seen: @Sendable (any MessageSight) -> String
}

extension State: Hashable {
    static func == (one: State, other: State) -> Bool { one.name == other.name }
    func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
