public import Models
public import Rules

/// The statistics of one rule.
public struct RuleStatistics: Sendable {
    public var rule: RuleInfo
    /// Messages on which it acted, including keep and notify, in the last 7, 30 and 90 days; each counts once.
    public var hits7 = 0
    public var hits30 = 0
    public var hits90 = 0
    /// Ever.
    public var hits = 0
    public var last: Timestamp?
    /// Messages where the user undid what it did: with `opus undo`, by hand, or in another program.
    public var reversed = 0
    /// How often in the last 90 days it came too late: an earlier rule or a protection had the message.
    public var shadowed = 0
    /// Tests that expect it.
    public var tests = 0
}
