public import Models

/// A decision that only the user can make.
public enum Question: Sendable {
    /// Whether to finish interrupted runs.
    case finish([InterruptedLine])
    /// Whether to apply a plan.
    case apply(Plan)
    /// A brake holds the plan: whether to apply it anyway. `held` is the reason.
    case confirm(Plan, held: Problem)
    /// Whether to move mail after changes of task files that may be a mistake.
    case follow(FollowQuestion)
    /// Whether to archive the old mail of an inbox on the first day.
    case archiveBacklog(FirstDayOffer)
}

public enum Answer: Sendable {
    case yes
    /// No; the user is not asked again.
    case no
    /// The user cannot be asked now.
    case later
}

/// Answers questions: the user at a terminal, a page, or a test.
public protocol Ask: Sendable {
    /// Whether the user can be asked now.
    var isAttended: Bool { get }

    func answer(_ question: Question) throws -> Answer

    /// The items of a plan to apply, chosen one by one; nil: none of them.
    func choice(of plan: Plan) throws -> PlanChoice?
}

extension Ask {
    public func choice(of plan: Plan) throws -> PlanChoice? { nil }
}
