import Models

/// Conditions on the open tasks of a message's conversation.
extension ConditionEntry {
    static let hasOpenTask = ConditionEntry(
        "has:open-task", "tasks", .state(.hasOpenTask), "its conversation has an open task", "has:open-task")

    static let taskList = ConditionEntry(
        "task:list", "tasks", .taskList, "has an open task on this list", "task:list:next")

    static let taskWaiting = ConditionEntry(
        "task:waiting", "tasks", .state(.taskWaiting), "has an open task that waits for someone",
        "task:waiting")

    static let taskAnswered = ConditionEntry(
        "task:answered", "tasks", .state(.taskAnswered),
        "has an open task whose wait a person has answered; automatic replies do not count", "task:answered")

    static let taskOverdue = ConditionEntry(
        "task:overdue", "tasks", .state(.taskOverdue), "has an open task past its due date", "task:overdue")

    static let taskWaited = ConditionEntry(
        "task:waited", "tasks", .waited, "how long its task has waited for someone", "task:waited>7d")
}

extension State {
    static let hasOpenTask = State(
        name: "has:open-task", changing: .tasks, rank: 3, holds: { Truth(!$0.facts.openTodos.isEmpty) },
        seen: { $0.facts.openTodos.isEmpty ? "no open task" : "\($0.facts.openTodos.count) open" })

    static let taskWaiting = State(
        name: "task:waiting", needs: .tasks, changing: .tasks,
        holds: { sight in Truth(sight.todos.contains { $0.list == .waiting && sight.hasBegun($0) }) },
        seen: { $0.seenTasks })

    static let taskAnswered = State(
        name: "task:answered", needs: [.tasks, .answers], changing: .tasks,
        holds: { sight in
            guard !sight.facts.openTodos.isEmpty else { return .no }
            return Truth(
                sight.context.answered.map { answered in sight.todos.contains { answered.contains($0.id) } })
        },
        seen: { sight in
            guard let answered = sight.context.answered else { return "opus did not look for answers" }
            return sight.todos.contains { answered.contains($0.id) } ? "answered" : "no answer"
        })

    static let taskOverdue = State(
        name: "task:overdue", needs: .tasks, changing: .tasks,
        holds: { sight in Truth(sight.todos.contains { sight.isOverdue($0) }) }, seen: { $0.seenTasks })
}

extension MessageSight {
    /// When the wait of each task began. A task that this message answers no longer waits.
    var waits: [Timestamp] {
        todos.filter { $0.list == .waiting && hasBegun($0) && !isAnswer(to: $0) }.compactMap {
            context.waitsSince[$0.id] ?? $0.created
        }
    }

    /// Whether the wait has begun: a mail that was not sent has no answer.
    fileprivate func hasBegun(_ todo: Todo) -> Bool {
        guard let since = context.waitsSince[todo.id] else { return true }
        return since != nil
    }

    /// Whether the awaited person sent the message after the wait began.
    private func isAnswer(to todo: Todo) -> Bool {
        guard let created = todo.created, facts.received > created else { return false }
        guard let on = (todo.hasOtherContact ? todo.contact : todo.waitingOn ?? todo.contact)?.folded else {
            return false
        }
        return from.contains { !me.contains($0.addrSpec) && on.contains($0.addrSpec.string) }
    }

    /// A day has passed at its end, in the time zone of the rules.
    fileprivate func isOverdue(_ todo: Todo) -> Bool {
        switch todo.due {
        case .date(let day): day < zone.local(context.now).date
        case .instant(let time): time < context.now
        case .local(let reading, zone: let name):
            (name.flatMap { Zone(tzid: $0) } ?? zone).instant(reading) < context.now
        case nil: false
        }
    }

    fileprivate var seenTasks: String {
        let tasks = todos.map { $0.list.rawValue + ($0.due.map { ", due \(spelling($0))" } ?? "") }
        return tasks.isEmpty ? "no open task" : shortened(tasks.joined(separator: "; "))
    }
}
