import MailStore
import Models

/// Finds the answers that the user waited for, so that rules leave them in the inbox until the task is done.
struct AwaitedAnswers: Sendable {
    let waits: Waits
    let store: Store

    /// Those of these messages that a person wrote in answer to an open task: a task of their conversation, or one in which
    /// a run has noted them. With `on-reply: keep`, an answer needs no decision, so it is not among them.
    func among(_ facts: [MessageFacts]) throws -> Set<EmailID> {
        let noted = try store.todos.notedInOpenTodos(.reply)
        let asked = facts.reduce(into: Set<TodoID>()) {
            $0.formUnion($1.openTodos)
            $0.formUnion(noted[$1.id] ?? [])
        }
        guard !asked.isEmpty else { return [] }
        let todos = try store.todos.openTodos(asked.sorted()).values.filter {
            $0.onReply != .keep && Waits.mayWait($0)
        }
        guard !todos.isEmpty else { return [] }
        return Set(try waits.all(Array(todos)).values.flatMap(\.answers).map(\.message))
    }
}
