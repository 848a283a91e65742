/// A number that a condition compares: its value in a message, the facts that it needs, and its Sieve test.
struct Amount: Sendable {
    enum Unit: Sendable {
        /// `2M`, `100K`.
        case bytes
        case count
        /// `3`, `mar`, `march`.
        case month
        /// `100`, `99.90 EUR`: in cents, of one currency or of any.
        case money
    }

    let unit: Unit
    /// The facts that must be read before the condition can be judged.
    var needs: FactNeeds = []
    /// The facts that a triage may change.
    var changing: ChangingFacts = []
    /// The Sieve test of a comparison; nil: a mail server cannot test it.
    var sieve: (@Sendable (Comparison, Int) -> SieveCondition)?
    /// The size of the whole message, which is always stored.
    var isMessageSize = false
    /// If there are several numbers, it is enough that one matches; nil: unknown.
    let values: @Sendable (any MessageSight) -> [Int]?
    /// The message's value, for `explain`.
    let seen: @Sendable (any MessageSight) -> String
}
