public import Models

/// Something that only the user can decide.
public enum Question: Sendable {
    /// Whether to finish runs that were interrupted.
    case finish([InterruptedLine])
    /// Whether to apply a plan.
    case apply(Plan)
    /// A brake holds the plan: whether to apply it anyway. `held` says why.
    case confirm(Plan, held: Problem)
    /// Whether mail may follow task files in a way that may be a mistake.
    case follow(FollowQuestion)
    /// Whether to archive the old mail of an inbox on the first day.
    case archiveBacklog(FirstDayOffer)
}

public enum Answer: Sendable {
    case yes
    /// The user does not want it, and is not asked again.
    case no
    /// The user cannot be asked now.
    case later
}

/// Answers questions: the user at a terminal, a page, or a test.
public protocol Ask: Sendable {
    /// Whether the user can be asked now.
    var isAttended: Bool { get }

    func answer(_ question: Question) throws -> Answer

    /// Which items of a plan to apply, one by one; nil: the user does not want any of it now.
    func choice(of plan: Plan) throws -> PlanChoice?
}

extension Ask {
    public func choice(of plan: Plan) throws -> PlanChoice? { nil }
}
