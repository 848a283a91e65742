public import Models
import Rules
import TodoCalendar

/// All tasks of the folder and their relations: projects, blockers, and available actions.
public struct TaskBoard: Sendable {
    /// For a repeating task, the dates are those of its next instance.
    public let files: [TodoFile]
    /// The number of calendar files with events and without tasks.
    public let eventFiles: Int
    /// The index of each task in `files`.
    private let indices: [TodoID: Int]
    private let children: [TodoID: [TodoID]]
    private let now: Timestamp
    let timeZone: String
    /// The GTD lists, then the user's own lists by name.
    let lists: [GTDList]

    public init(_ files: [TodoFile], eventFiles: Int = 0, now: Timestamp, timeZone: String) {
        self.eventFiles = eventFiles
        let files = files.map { file in
            guard !file.todo.doneInstances.isEmpty else { return file }
            var shown = file
            shown.todo = TodoSeries.shown(file.todo)
            return shown
        }
        self.files = files
        self.now = now
        self.timeZone = timeZone
        let known: [GTDList] = [.inbox, .next, .waiting, .scheduled, .someday, .reference]
        lists = known + Set(files.map(\.todo.list)).subtracting(known).sorted()
        indices = Dictionary(zip(files.lazy.map(\.todo.id), files.indices)) { first, _ in first }
        var children: [TodoID: [TodoID]] = [:]
        for file in files {
            if let parent = file.todo.parent { children[parent, default: []].append(file.todo.id) }
        }
        self.children = children
    }

    public func todo(_ id: TodoID) -> Todo? { indices[id].map { files[$0].todo } }

    // MARK: Now

    /// Open tasks that must be done first. A task that is not in the folder blocks nothing.
    public func blockers(of todo: Todo) -> [Todo] {
        todo.dependsOn.compactMap { self.todo($0) }.filter(\.isOpen)
    }

    /// The earliest start; a date without a time begins at midnight.
    public func startTime(_ todo: Todo) -> Timestamp? {
        todo.start.flatMap { DatePhrase.instant(of: $0, timeZone: todo.timeZone ?? timeZone, secondOfDay: 0) }
    }

    public func isDeferred(_ todo: Todo) -> Bool { startTime(todo).map { $0 > now } ?? false }

    /// Whether the task can be started now: it is open, on a list of actions (not inbox, waiting, someday or
    /// reference), its start has passed, and nothing blocks it. On the list scheduled, it must have a start. A
    /// project with open tasks is not available itself.
    public func isAvailable(_ todo: Todo) -> Bool {
        guard todo.isOpen, !isDeferred(todo), blockers(of: todo).isEmpty else { return false }
        guard openChildren(of: todo.id).isEmpty else { return false }
        switch todo.list {
        case .inbox, .waiting, .someday, .reference: return false
        case .scheduled: return todo.start != nil
        case _: return true
        }
    }

    /// Whether its due date has passed; a task that is due today is not overdue.
    public func isOverdue(_ todo: Todo) -> Bool {
        guard todo.isOpen, let due = todo.due else { return false }
        let end = DatePhrase.instant(of: due, timeZone: todo.timeZone ?? timeZone, secondOfDay: 86_399)
        return end.map { $0 < now } ?? false
    }

    /// Whether it is on the list scheduled, or starts later and does not wait for a person.
    public func isScheduled(_ todo: Todo) -> Bool {
        todo.list == .scheduled || (isDeferred(todo) && todo.list != .waiting)
    }

    /// Whether it is time to ask again for the awaited answer.
    public func isToBeAsked(_ todo: Todo) -> Bool {
        startTime(todo).map { $0 <= now } ?? false
    }

    // MARK: Projects

    /// A project is a task that others name as their parent.
    public func isProject(_ id: TodoID) -> Bool { children[id] != nil }

    public func children(of id: TodoID) -> [Todo] { (children[id] ?? []).compactMap { todo($0) } }

    public func openChildren(of id: TodoID) -> [Todo] { children(of: id).filter(\.isOpen) }

    /// All tasks below a project, at any depth. Stops at cycles, which other programs may have written.
    public func descendants(of id: TodoID) -> Set<TodoID> {
        var found: Set<TodoID> = []
        var rest = children[id] ?? []
        while let next = rest.popLast() {
            guard next != id, found.insert(next).inserted else { continue }
            rest += children[next] ?? []
        }
        return found
    }

    /// Whether `first` must wait for `second`, directly or through other tasks.
    public func depends(_ first: TodoID, on second: TodoID) -> Bool {
        var seen: Set<TodoID> = []
        var rest = [first]
        while let next = rest.popLast() {
            if next == second { return true }
            guard seen.insert(next).inserted else { continue }
            rest += todo(next)?.dependsOn ?? []
        }
        return false
    }

    /// Projects that are open or have an open task, sorted by list and due date.
    public func projects(includingClosed: Bool = false) -> [TodoFile] {
        sorted(
            files.filter { file in
                let id = file.todo.id
                guard isProject(id) else { return false }
                return includingClosed || file.todo.isOpen || !openChildren(of: id).isEmpty
            }, .list)
    }

    /// The first available task of a project; nil: the project is stalled.
    public func nextAction(of id: TodoID) -> Todo? {
        let below = descendants(of: id)
        return sorted(files.filter { below.contains($0.todo.id) && isAvailable($0.todo) }, .due).first?.todo
    }

    public func summary(of id: TodoID) -> String { todo(id)?.summary ?? id.rawValue }
}
