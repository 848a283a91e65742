import Accounts
import Models

extension Account {
    /// Throws if the account does not allow the action of a command.
    ///
    /// - Throws: ``Problem`` `not-allowed`, with the line to change.
    func require(_ permission: Permission) throws(Problem) {
        guard !permissions.allows(permission) else { return }
        let line = (permissionsPlace ?? place).description
        throw Problem(
            "not-allowed", exit: .configuration,
            message: "account \(id) does not let opus \(permission.words) (allow: \(permissions.name))",
            place: line, next: ["\(permissions.wording(including: permission)) at \(line)"])
    }
}

extension QueuedWork {
    /// The work that the account allows, with a sentence for each kind of step that was removed.
    ///
    /// Steps of rules, tasks and opus itself are removed; a step that the user requested with a command makes
    /// it fail.
    ///
    /// - Throws: ``Problem`` `not-allowed`.
    func restricted(to account: Account) throws -> (work: QueuedWork, refusals: [String]) {
        var counts: [Permission: Int] = [:]
        var lost: Set<EmailID> = []
        var work = self
        work.steps = []
        for step in steps {
            guard let permission = step.kind.permission, !account.permissions.allows(permission) else {
                work.steps.append(step)
                continue
            }
            switch step.cause {
            case .hand, .undo: try account.require(permission)
            case .rule, .task, .deferral, .reply, .deferredList: break
            }
            lost.formUnion([step.message].compactMap(\.self))
            if step.cause != .deferredList { counts[permission, default: 0] += 1 }
        }
        work.deferrals.removeAll { lost.contains($0.message) }
        work.remembered.removeAll { lost.contains($0.message) }
        let refusals = Permission.allCases.compactMap { permission in
            counts[permission].map { count in
                "account \(account.id): \(account.permissions.refusal(of: permission)): "
                    + "\(counted(count, "step was", "steps were")) left out"
            }
        }
        return (work, refusals)
    }
}
