import Accounts
import MailStore
import Models
import Planner

/// What became of a saved plan.
public struct SavedPlanOutcome: Sendable {
    public struct Skipped: Sendable {
        public var id: String
        public var subject: String
        public var reason: String
    }

    public var report: RunReport
    /// Messages that no longer fit the plan.
    public var skipped: [Skipped]
    /// Why rules make drafts where the plan said that they send, one line each.
    public var notSent: [String]
}
