public import Models

/// A plan from a file, which the user may have edited.
public struct SavedPlan: Sendable {
    public var plan: Plan
    public var generated: Timestamp
    /// Whether the user removed its id in order to edit the rest: then it is not compared with the rules.
    public var isEdited: Bool
    /// The path as typed.
    public var path: String

    public init(_ plan: Plan, generated: Timestamp, isEdited: Bool, path: String) {
        self.plan = plan
        self.generated = generated
        self.isEdited = isEdited
        self.path = path
    }
}

/// The result of applying a saved plan.
public struct SavedPlanOutcome: Sendable {
    public struct Skipped: Sendable {
        public var id: String
        public var subject: String
        public var reason: String
    }

    public var report: RunReport
    /// Messages that no longer match the plan.
    public var skipped: [Skipped]
    /// Why rules make drafts although the plan contains submissions, one line each.
    public var notSent: [String]
}
