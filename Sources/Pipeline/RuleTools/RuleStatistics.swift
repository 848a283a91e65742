public import Models
public import Rules

/// The statistics of one rule.
public struct RuleStatistics: Sendable {
    public var rule: RuleInfo
    /// The number of messages on which the rule acted, including keep and notify, in the last 7, 30 and 90
    /// days. Each counts once.
    public var hits7 = 0
    public var hits30 = 0
    public var hits90 = 0
    /// The same, in total.
    public var hits = 0
    public var last: Timestamp?
    /// The number of messages whose change the user reversed: with `opus undo`, by hand, or in another
    /// program.
    public var reversed = 0
    /// The number of matches in the last 90 days that had no effect, because an earlier rule or a protection
    /// had precedence.
    public var shadowed = 0
    /// The number of tests that expect the rule.
    public var tests = 0
}
