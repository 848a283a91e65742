import Accounts
import Foundation
import MailStore
public import Models
import Rules
import TaskStore

/// The task folder for commands: its files, found by short id or row, and the values that users type.
public struct Tasks: Sendable {
    let workspace: Workspace
    let store: Store
    let taskStore: TaskFiles
    let clock: SessionClock

    /// All readable tasks, sorted by the path of their files, and the files that could not be read.
    public func files() throws -> TaskListing {
        let scan = try Problem.wrap {
            try taskStore.list(known: try store.todos.todoFiles(), now: clock.now)
        }
        return TaskListing(
            files: scan.files, malformed: scan.malformed.map { "tasks/\($0.path):\($0.line): \($0.reason)" },
            eventFiles: scan.eventFiles)
    }

    /// The open task that a rule or a command made of this message, and that the user has to do. Waits for other
    /// people do not count.
    func openTask(of message: EmailID, among files: [TodoFile]) throws -> Todo? {
        let open = files.map(\.todo).filter {
            $0.isOpen && $0.list != .waiting && $0.waitingOn == nil
        }
        let links = try store.todos.links(for: open.map(\.id))
        return open.first { links[$0.id]?.message == message }
    }

    /// The open task that already waits for these people to answer this message.
    func openWait(
        of message: MessageFacts, for people: [EmailAddress], among files: [TodoFile]
    ) throws -> Todo? {
        let open = files.map(\.todo).filter { todo in
            todo.isOpen && todo.list == .waiting
                && Set(people.map(\.person)).isSubset(of: todo.askedPeople.map(\.person))
        }
        let links = try store.todos.links(for: open.map(\.id))
        return open.first { todo in
            links[todo.id]?.message == message.id
                || todo.delegatedMessageID.map { $0 == message.messageID } ?? false
        }
    }

    /// What happens to the mail of a task that is completed or cancelled.
    public func finishedMail(isCancelled: Bool) -> FinishedMail {
        isCancelled ? workspace.whenCancelled : workspace.whenDone
    }

    /// The number of files with events and without a task.
    public func eventFiles() throws -> Int {
        try Problem.wrap { try taskStore.eventFiles(besides: try store.todos.todoPaths()) }
    }

    /// The task for a typed id: the beginning of its hash (`t:9d4x`) or of its UID. A number of at most three
    /// digits is a row of the last list.
    public func task(_ typed: String) throws -> TodoFile {
        try task(typed, among: try files().files)
    }

    /// The same for several ids, each task once; reads the folder only once.
    public func named(_ typed: [String]) throws -> [TodoFile] {
        let files = try files().files
        var seen: Set<TodoID> = []
        return try typed.map { try task($0, among: files) }.filter { seen.insert($0.todo.id).inserted }
    }

    private func task(_ typed: String, among files: [TodoFile]) throws -> TodoFile {
        if let number = ListRows.number(typed) { return try row(number, among: files) }
        let prefix = (typed.hasPrefix("t:") ? String(typed.dropFirst(2)) : typed).lowercased()
        let found = files.filter {
            TaskName.hash(of: $0.todo.id).hasPrefix(prefix)
                || $0.todo.id.rawValue.lowercased().hasPrefix(prefix)
        }
        guard let file = found.first, !prefix.isEmpty else {
            throw Problem(
                "no-such-task", exit: .notFound, message: "no task has an id that begins with \(typed)",
                next: ["opus task list"])
        }
        guard found.count == 1 else {
            throw Problem(
                "ambiguous-id", exit: .usage, message: "\(typed) is the beginning of \(found.count) task ids",
                next: [
                    "one of: "
                        + found.map { TaskName.short($0.todo.id, length: prefix.count + 3) }.joined(
                            separator: ", ")
                ])
        }
        return file
    }

    private func row(_ number: Int, among files: [TodoFile]) throws -> TodoFile {
        let id = try rows.id(number, .tasks)
        guard let file = files.first(where: { $0.todo.id.rawValue == id }) else {
            throw Problem(
                "no-such-task", exit: .notFound, message: "the task of row \(number) no longer exists",
                next: ["opus task list"])
        }
        return file
    }

    /// Properties that opus and the user changed to different values: the file has the user's value, and opus
    /// keeps the other one.
    public func conflicts() throws -> [TaskConflict] {
        try Problem.wrap { try taskStore.conflicts() }.map { TaskConflict($0) }
    }

    /// The folders of the task folder.
    public func lists() -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { name in
            var isFolder = ObjCBool(false)
            return !name.hasPrefix(".")
                && FileManager.default.fileExists(atPath: folder + "/" + name, isDirectory: &isFolder)
                && isFolder.boolValue
        }.sorted()
    }

    public func hasList(_ name: String) -> Bool { lists().contains(name) }

    public var folder: String { workspace.tasksFolder }

    public func path(of file: TodoFile) -> String { folder + "/" + file.path }

    public func board() throws -> (board: TaskBoard, malformed: [String]) {
        let listing = try files()
        let board = TaskBoard(
            listing.files, eventFiles: listing.eventFiles, now: clock.now, timeZone: workspace.timeZone)
        return (board, listing.malformed)
    }

    /// A date phrase (`friday`, `+2 weeks`, `31 March 17:00`) in the time zone of the workspace.
    public func date(_ phrase: String) throws -> TodoDate {
        guard
            let date = DatePhrase.resolve(
                phrase, now: clock.now, timeZone: workspace.timeZone, dayFirst: workspace.dayFirst,
                workdayEnd: workspace.workday.end, businessDays: workspace.workday.days)
        else {
            throw Problem(
                "bad-date", exit: .usage, message: "\"\(phrase)\" is not a date",
                next: ["friday, +2 weeks, 2026-04-03, \"31 March 17:00\" (opus help dates)"])
        }
        return date
    }

    /// Accepts `high`, `mid`, `low`, `none`, or 0 to 9.
    public static func priority(_ word: String) throws -> Int {
        switch word.lowercased() {
        case "high": return 1
        case "mid", "medium": return 5
        case "low": return 9
        case "none": return 0
        case let digits:
            guard let number = Int(digits), (0...9).contains(number) else {
                throw Problem(
                    "bad-priority", exit: .usage, message: "\"\(word)\" is not a priority",
                    next: ["high, mid, low, none, or 1 (highest) to 9"])
            }
            return number
        }
    }

    /// An existing list, a GTD list, or any folder name if `mayBeNew`.
    public func list(_ name: String, mayBeNew: Bool = false) throws -> GTDList {
        let own: [GTDList] = [.inbox, .next, .waiting, .scheduled, .someday, .reference]
        let list = GTDList(name)
        if own.contains(list) || hasList(name) { return list }
        guard mayBeNew, GTDList.isValid(name) else {
            throw Problem(
                "no-such-list", exit: .notFound, message: "the task folder has no list \"\(name)\"",
                next: ["one of: " + lists().joined(separator: ", ")])
        }
        return list
    }

    public static func newID() -> TodoID { TodoID(UUID().uuidString.lowercased()) }

    /// Throws if the change would make two tasks wait for each other.
    public func requireNoCircle(_ file: TodoFile, blockedBy other: TodoFile, _ board: TaskBoard) throws {
        guard other.todo.id != file.todo.id else {
            throw Problem(
                "task-circle", exit: .usage, message: "“\(file.todo.summary)” cannot wait for itself",
                next: ["opus task block \(TaskName.short(file.todo.id)) OTHER-ID"])
        }
        guard board.depends(other.todo.id, on: file.todo.id) else { return }
        throw Problem(
            "task-circle", exit: .usage,
            message: "“\(other.todo.summary)” already waits for “\(file.todo.summary)”",
            next: ["opus task show \(TaskName.short(other.todo.id))"])
    }

    /// The same for projects: a task cannot be below itself.
    public func requireNoCircle(_ file: TodoFile, below project: TodoFile, _ board: TaskBoard) throws {
        let isBelow =
            file.todo.id == project.todo.id || board.descendants(of: file.todo.id).contains(project.todo.id)
        guard isBelow else { return }
        throw Problem(
            "task-circle", exit: .usage,
            message: "“\(project.todo.summary)” is already a part of “\(file.todo.summary)”",
            next: ["opus projects"])
    }

    /// Remembers the rows of a list that the user sees.
    public func rememberRows(_ files: [TodoFile]) {
        try? rows.save(files.map(\.todo.id.rawValue), .tasks)
    }

    private var rows: ListRows { ListRows(storeFolder: workspace.storeFolder, now: clock.now) }

    /// The open tasks in the folder.
    func openTodos() throws -> OpenTodos {
        let open = try files().files.map(\.todo).filter(\.isOpen)
        return OpenTodos(open, links: try store.todos.links(for: open.map(\.id)))
    }
}

public struct TaskListing: Sendable {
    public var files: [TodoFile]
    /// `path:line: reason`
    public var malformed: [String]
    /// The number of calendar files with events and without tasks.
    public var eventFiles: Int
}
