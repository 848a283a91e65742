public import Models

/// A step of a run, and whether its rule is unchanged.
public struct PastStep: Sendable {
    public enum RuleChange: String, Sendable {
        case same
        case changed
        /// The rule no longer exists.
        case gone
        /// The step was not caused by a rule, or the rule's text was not stored.
        case unknown
    }

    public var run: RunID
    public var at: Timestamp?
    public var step: Step
    public var ruleChange: RuleChange
    /// The run that undid the step.
    public var undoneBy: RunID?
    /// The message of the conversation that the rule matched; nil: this one.
    public var along: EmailID?
}
