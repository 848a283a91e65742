public import Models
import Rules
import TodoCalendar

/// All tasks of the folder and their relations: projects, blockers, what can be done now.
public struct TaskBoard: Sendable {
    /// A repeating task whose instances are done up to a day has the dates of that day.
    public let files: [TodoFile]
    /// Calendar files in the folder that hold events and no task.
    public let eventFiles: Int
    /// Of `files`.
    private let indices: [TodoID: Int]
    private let children: [TodoID: [TodoID]]
    private let now: Timestamp
    let timeZone: String
    /// GTD's lists, then the user's own by name.
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

    /// Open tasks that have to be done first. One that is not in the folder blocks nothing.
    public func blockers(of todo: Todo) -> [Todo] {
        todo.dependsOn.compactMap { self.todo($0) }.filter(\.isOpen)
    }

    /// When it may be begun: a day begins at midnight.
    public func startTime(_ todo: Todo) -> Timestamp? {
        todo.start.flatMap { DatePhrase.instant(of: $0, timeZone: todo.timeZone ?? timeZone, secondOfDay: 0) }
    }

    public func isDeferred(_ todo: Todo) -> Bool { startTime(todo).map { $0 > now } ?? false }

    /// Can be begun now: open, on a list of actions (not inbox, waiting, someday or reference), its start has come, and
    /// nothing blocks it. A project with open tasks of its own is done by doing those.
    public func isAvailable(_ todo: Todo) -> Bool {
        guard todo.isOpen, !isDeferred(todo), blockers(of: todo).isEmpty else { return false }
        guard openChildren(of: todo.id).isEmpty else { return false }
        switch todo.list {
        case .inbox, .waiting, .someday, .reference: return false
        case .scheduled: return todo.start != nil
        case _: return true
        }
    }

    /// Past its due day; one that is due today is not.
    public func isOverdue(_ todo: Todo) -> Bool {
        guard todo.isOpen, let due = todo.due else { return false }
        let end = DatePhrase.instant(of: due, timeZone: todo.timeZone ?? timeZone, secondOfDay: 86_399)
        return end.map { $0 < now } ?? false
    }

    /// Starts on a later day: on the list scheduled, or with a start in the future.
    public func isScheduled(_ todo: Todo) -> Bool {
        todo.list == .scheduled || (isDeferred(todo) && todo.list != .waiting)
    }

    /// Whether it is time to ask again for what we wait for.
    public func isToBeAsked(_ todo: Todo) -> Bool {
        startTime(todo).map { $0 <= now } ?? false
    }

    // MARK: Projects

    /// A project is a task that others name as their parent.
    public func isProject(_ id: TodoID) -> Bool { children[id] != nil }

    public func children(of id: TodoID) -> [Todo] { (children[id] ?? []).compactMap { todo($0) } }

    public func openChildren(of id: TodoID) -> [Todo] { children(of: id).filter(\.isOpen) }

    /// Every task below a project, at any depth. Circles that other programs wrote end where they began.
    public func descendants(of id: TodoID) -> Set<TodoID> {
        var found: Set<TodoID> = []
        var rest = children[id] ?? []
        while let next = rest.popLast() {
            guard next != id, found.insert(next).inserted else { continue }
            rest += children[next] ?? []
        }
        return found
    }

    /// Whether doing `first` has to wait for `second`, through any number of others.
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

    /// Projects that are still open, or have an open part, by list and due date.
    public func projects(includingClosed: Bool = false) -> [TodoFile] {
        sorted(
            files.filter { file in
                let id = file.todo.id
                guard isProject(id) else { return false }
                return includingClosed || file.todo.isOpen || !openChildren(of: id).isEmpty
            }, .list)
    }

    /// What can be done now for a project: a project without any is stalled.
    public func nextAction(of id: TodoID) -> Todo? {
        let below = descendants(of: id)
        return sorted(files.filter { below.contains($0.todo.id) && isAvailable($0.todo) }, .due).first?.todo
    }

    public func summary(of id: TodoID) -> String { todo(id)?.summary ?? id.rawValue }
}
