import MailStore
import Models

/// The open tasks in the folder, by the conversation of their mail. Includes tasks that other commands or
/// programs wrote since the last run.
struct OpenTodos {
    let todos: [TodoID: Todo]
    private let byConversation: [ThreadID: [TodoID]]

    /// `links`: the mail of each task, with its conversation.
    init(_ open: [Todo], links: [TodoID: TodoLink]) {
        todos = Dictionary(open.map { ($0.id, $0) }) { first, _ in first }
        var found: [ThreadID: [TodoID]] = [:]
        for (id, link) in links {
            found[link.conversation, default: []].append(id)
        }
        byConversation = found.mapValues { $0.sorted() }
    }

    func applied(to facts: [MessageFacts]) -> [MessageFacts] {
        facts.map { facts in
            let open = byConversation[facts.conversation] ?? []
            guard facts.openTodos != open else { return facts }
            var changed = facts
            changed.openTodos = open
            return changed
        }
    }
}
