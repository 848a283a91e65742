public import Models

/// A step of a run, and whether its rule is unchanged.
public struct PastStep: Sendable {
    public enum RuleChange: String, Sendable {
        case same
        case changed
        /// The rule no longer exists.
        case gone
        /// It was not a rule, or its text was not kept.
        case unknown
    }

    public var run: RunID
    public var at: Timestamp?
    public var step: Step
    public var ruleChange: RuleChange
    /// The run that undid it.
    public var undoneBy: RunID?
}
