import MailStore
import Models

/// Finds the answers that the user waited for, so that rules leave them in the inbox until the task is done.
struct AwaitedAnswers: Sendable {
    let waits: Waits
    let store: Store

    /// Those of these messages that a person wrote in answer to an open task.
    func among(_ facts: [MessageFacts]) throws -> Set<EmailID> {
        let todos = try todos(for: facts)
        return todos.isEmpty ? [] : Set(try waits.all(todos).values.flatMap(\.answers).map(\.message))
    }

    /// The open tasks to which some of these messages may be answers: tasks of their conversation, and those in which a run
    /// has noted them. With `on-reply: keep`, an answer needs no decision.
    private func todos(for facts: [MessageFacts]) throws -> [Todo] {
        let noted = try store.todos.notedInOpenTodos(.reply)
        var asked: [TodoID: Set<EmailID>] = [:]
        for facts in facts {
            for todo in facts.openTodos { asked[todo, default: []].insert(facts.id) }
            for todo in noted[facts.id] ?? [] { asked[todo, default: []].insert(facts.id) }
        }
        guard !asked.isEmpty else { return [] }
        let open = try store.todos.openTodos(asked.keys.sorted()).values.filter {
            $0.onReply != .keep && Waits.mayWait($0)
        }
        guard !open.isEmpty else { return [] }
        // The mail of a task does not answer it.
        let links = try store.todos.links(for: open.map(\.id))
        return open.filter { todo in
            asked[todo.id]?.contains { $0 != links[todo.id]?.message } ?? false
        }
    }
}
