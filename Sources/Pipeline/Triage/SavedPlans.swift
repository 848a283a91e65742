public import Models

/// A plan that was saved to a file, and perhaps edited there.
public struct SavedPlan: Sendable {
    public var plan: Plan
    public var generated: Timestamp
    /// Whether the user removed its id to change the rest: then it is not compared with the rules.
    public var isEdited: Bool
    /// As it was typed.
    public var path: String

    public init(_ plan: Plan, generated: Timestamp, isEdited: Bool, path: String) {
        self.plan = plan
        self.generated = generated
        self.isEdited = isEdited
        self.path = path
    }
}

/// The result of a saved plan.
public struct SavedPlanOutcome: Sendable {
    public struct Skipped: Sendable {
        public var id: String
        public var subject: String
        public var reason: String
    }

    public var report: RunReport
    /// Messages that no longer fit the plan.
    public var skipped: [Skipped]
    /// Why rules make drafts although the plan said that they send, one line each.
    public var notSent: [String]
}
