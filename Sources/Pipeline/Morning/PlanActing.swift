public import Models

/// Executes the actions that the user chose instead of those of the plan.
public struct PlanActing {
    private let session: Session

    public init(_ session: Session) { self.session = session }

    /// Throws for an invalid mailbox, date or address, before the plan is applied.
    public func check(_ action: PlanAction, of message: EmailID) throws {
        switch action {
        case .verb(let verb): _ = try session.byHand.plans(for: verb, ids: [message.rawValue])
        case .task: _ = try session.taskMail.title(ofMessage: message.rawValue)
        case .delegate(let whom): try session.waitMaking.check(whom, for: message.rawValue)
        }
    }

    /// Executes the action: the report of each run, with its plan if there is one. `others`: these messages do not move with it.
    func carryOut(
        _ own: PlanChoice.Own, besides others: Set<MessageKey>
    ) async throws -> [(report: RunReport, plan: Plan?)] {
        let id = own.message.rawValue
        switch own.action {
        case .verb(let verb):
            var done: [(report: RunReport, plan: Plan?)] = []
            for var plan in try session.byHand.plans(for: verb, ids: [id]) {
                plan.items.leave(others)
                done.append((try await session.byHand.apply(plan, verb: verb), plan))
            }
            return done
        case .task(let title):
            let draft = try session.taskMail.draft(
                ofMessage: id, title: title.isEmpty ? nil : title, on: .next, TodoPatch())
            return [(try await session.taskMail.make(draft, of: id), nil)]
        case .delegate(let whom):
            var plan = try session.waitMaking.plan(
                delegate: id, to: whom, note: "", until: nil, onReply: nil)
            plan.items.leave(others)
            let delegated = try await session.waitMaking.delegate(plan)
            return [(delegated.report, nil)]
        }
    }
}
