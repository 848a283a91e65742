import Accounts
import MailStore
import Models
import Planner

/// Finds the answers that the user waited for, so that rules leave them in the inbox until the task is done.
struct AwaitedAnswers: Sendable {
    let waits: Waits
    let store: Store

    /// Those of these messages that a person wrote in answer to an open task.
    func among(_ facts: [MessageFacts]) throws -> Set<EmailID> {
        let todos = try todos(for: facts)
        return todos.isEmpty ? [] : Set(try waits.all(todos).values.flatMap(\.answers).map(\.message))
    }

    /// The answers to waits that the plan makes: a question and its answer may come in the same sync. With `on-reply: close`,
    /// a wait is over when it is answered.
    func toWaits(of plan: Plan, _ account: Account) throws -> Set<EmailID> {
        var answers: Set<EmailID> = []
        for planned in PlannedWait.all(in: plan) where planned.todo.onReply != .keep {
            guard let wait = try waits.wait(of: planned, account), !wait.isClosed(by: planned.todo.onReply)
            else { continue }
            answers.formUnion(wait.answers.map(\.message))
        }
        return answers
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
