import MailStore
import Models
import Planner

/// Finds the names of messages from which a plan makes something and whose `Message-ID` belongs to another message. That message
/// is in the store, or has a task that was made from it.
struct PlanNames: Sendable {
    let store: Store

    func names(in plan: Plan) throws -> OwnNames {
        let making = plan.items.filter { $0.decisions.contains { $0.action.isNamedAfterMessage } }
        let threads = Array(Set(making.map(\.thread)))
        var names = try store.threads.ownNames(account: plan.account, in: threads)
        let todos = Planning.todos(of: plan, names)
        let links = try store.todos.links(for: todos.map(\.todo))
        let taken = todos.filter { links[$0.todo] != nil && links[$0.todo]?.message != $0.message }
        names.digests.merge(try store.threads.digests(of: taken.map(\.message))) { _, own in own }
        return names
    }
}
