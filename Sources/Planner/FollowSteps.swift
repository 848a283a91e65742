public import Models

extension Planner {
    /// What a follow plan puts into the journal of one account.
    ///
    /// - Parameters:
    ///   - plan: Actions of other accounts are left out.
    ///   - context: The account's mailboxes.
    /// - Returns: Moves and changed waits.
    public static func work(for plan: FollowPlan, context: StepContext) -> QueuedWork {
        var work = QueuedWork()
        for action in plan.actions where action.account == context.account {
            switch action.effect {
            case .archive: move(action, to: context.mailbox(for: .archive), context, &work)
            case .backToInbox: move(action, to: context.inbox, context, &work)
            case .deferUntil(let until):
                for placement in action.placements {
                    work.deferrals.append(.init(message: placement.message, until: until))
                }
            }
        }
        return work
    }

    private static func move(
        _ action: FollowAction, to destination: Mailbox, _ context: StepContext, _ work: inout QueuedWork
    ) {
        for placement in action.placements {
            work.steps.append(
                moveStep(
                    placement.message, placement.key, to: destination, rule: action.verb, context: context,
                    token: action.todo.rawValue + " " + action.changeToken))
            guard context.isMailbox(placement.mailbox, .deferred) else { continue }
            work.deferrals.append(.init(message: placement.message, until: nil))
        }
    }

    /// Deferred messages whose time has come go back to the inbox, with the marks that they have.
    ///
    /// A message that somebody took out of the deferred mailbox meanwhile stays where it is; its wait ends.
    ///
    /// - Parameters:
    ///   - deferrals: Of this account, due or not.
    ///   - now: The clock of the run.
    ///   - placements: Where the deferred messages stand.
    ///   - context: The account's mailboxes.
    /// - Returns: Moves to the inbox, and the end of every wait that is over.
    public static func returning(
        deferrals: [(message: EmailID, until: Timestamp)], now: Timestamp,
        placements: [EmailID: [Placement]], context: StepContext
    ) -> QueuedWork {
        var work = QueuedWork()
        for deferral in deferrals where deferral.until <= now {
            for placement in placements[deferral.message] ?? []
            where context.isMailbox(placement.mailbox, .deferred) {
                work.steps.append(
                    moveStep(
                        deferral.message, placement.key, to: context.inbox, rule: "deferral",
                        context: context,
                        token: deferral.until.rfc3339))
            }
            work.deferrals.append(.init(message: deferral.message, until: nil))
        }
        return work
    }
}
