import MailStore
import Models

/// The tasks that are open in the folder now, by the conversation of their mail: what another command or program wrote
/// since the last run is among them.
struct OpenTodos {
    let todos: [TodoID: Todo]
    private let byConversation: [ThreadID: [TodoID]]

    /// `links`: the conversation of the mail behind each task.
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
