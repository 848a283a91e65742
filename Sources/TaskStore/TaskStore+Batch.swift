import Glibc
public import Models
import TodoCalendar

/// Many new files with one wait for the disk.
extension TaskStore {
    /// Writes new tasks, as ``create(_:now:)`` does one; all are on the disk, with their names, when this returns.
    ///
    /// The content of every file is on the disk before the first gets its name, so a crash leaves whole files or none.
    /// - Returns: for each task its file, or why there is none, in their order.
    public func create(_ todos: [Todo], now: Timestamp) -> [Result<TodoFile, TaskStoreError>] {
        CalendarThread.run {
            // All are looked for before the first is written: a folder that changed is looked through again.
            let found = todos.map { todo in
                Result { () throws(TaskStoreError) in try index.files(for: todo.id, thorough: false).first }
            }
            let prepared = zip(todos, found).map { todo, found in
                Result { () throws(TaskStoreError) in try prepare(todo, existing: try found.get(), now: now) }
            }
            if let failure = syncContent() {
                for case .success(.written(let draft)) in prepared { SystemCall.remove(draft.temporary) }
                return todos.map { _ in .failure(failure) }
            }
            var lists: Set<GTDList> = []
            var results = prepared.map { item in
                item.flatMap { prepared in
                    Result { () throws(TaskStoreError) in try name(prepared, &lists) }
                }
            }
            for list in lists {
                do throws(TaskStoreError) {
                    try SystemCall.sync(folder: folder.absolute(list.rawValue))
                } catch {
                    for (index, todo) in todos.enumerated() where todo.list == list {
                        results[index] = .failure(error)
                    }
                }
            }
            return results
        }
    }

    private struct Draft {
        var todo: Todo
        var bytes: [UInt8]
        var temporary: String
        var version: SystemCall.Version
    }

    private enum Prepared {
        case exists(TodoFile)
        case written(Draft)
    }

    private func prepare(
        _ todo: Todo, existing: TodoFile?, now: Timestamp
    ) throws(TaskStoreError) -> Prepared {
        guard GTDList.isValid(todo.list.rawValue) else { throw .badListName(todo.list.rawValue) }
        if let existing { return .exists(existing) }
        try makeList(todo.list)
        let bytes: [UInt8]
        do {
            bytes = try VTodoWriter.new(todo, now: now)
        } catch {
            throw TaskStoreError.refused(path: folder.absolute(todo.list.rawValue), error: error)
        }
        let temporary = folder.absolute(todo.list.rawValue) + "/" + FileName.temporary()
        do {
            let version = try SystemCall.writeNew(temporary, bytes, syncs: false)
            return .written(Draft(todo: todo, bytes: bytes, temporary: temporary, version: version))
        } catch {
            SystemCall.remove(temporary)
            throw error
        }
    }

    private func syncContent() -> TaskStoreError? {
        let number = SystemCall.exists(root) ? SystemCall.syncFileSystem(of: root) : 0
        return number == 0 ? nil : TaskStoreError(errno: number, path: root)
    }

    private func name(
        _ prepared: Prepared, _ lists: inout Set<GTDList>
    ) throws(TaskStoreError) -> TodoFile {
        guard case .written(let draft) = prepared else {
            guard case .exists(let file) = prepared else { throw .notFound(TodoID("")) }
            return file
        }
        let list = draft.todo.list
        for stem in [FileName.preferred(draft.todo.id), FileName.derived(draft.todo.id)] {
            let path = list.rawValue + "/" + stem
            let number = renaming.moveToFreeName(from: draft.temporary, to: folder.absolute(path))
            if number == 0 {
                lists.insert(list)
                return try record(path, draft.bytes, draft.version, list: list)
            }
            guard number == EEXIST else {
                SystemCall.remove(draft.temporary)
                throw TaskStoreError(errno: number, path: folder.absolute(path))
            }
            if let file = try holder(of: path, draft.todo) {
                SystemCall.remove(draft.temporary)
                return file
            }
        }
        SystemCall.remove(draft.temporary)
        throw .nameTaken(path: folder.absolute(list.rawValue + "/" + FileName.derived(draft.todo.id)))
    }
}
