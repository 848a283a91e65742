public import Models

/// A task that a plan makes, and that may wait for the answer to a mail that was sent.
public struct PlannedWait: Sendable {
    public var todo: Todo
    /// The mail from which the task is made.
    public var mail: Plan.Item

    /// The tasks of a plan, without delegations: their mail is not sent yet.
    public static func all(in plan: Plan) -> [PlannedWait] {
        let making = TodoMaking(
            account: plan.account, timeZone: plan.timeZone, now: plan.now, names: OwnNames())
        return plan.items.flatMap { item in
            making.todos(of: item.decisions, item).map(\.todo).filter { $0.delegatedMessageID == nil }
                .map { PlannedWait(todo: $0, mail: item) }
        }
    }
}
