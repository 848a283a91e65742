public import Models
import TodoCalendar

/// Interprets the bytes of a task file that is stored elsewhere.
public enum TaskBytes {
    /// The version of a task whose file had these bytes at this path (`list/name.ics`); nil: the path or the bytes are
    /// invalid.
    public static func version(_ id: TodoID, _ path: String?, _ content: [UInt8]?) -> TodoFile? {
        guard let path, let content, let list = try? TaskFolder.list(of: path),
            let todo = try? VTodoReader.read(content, id, list: list)?.todo
        else { return nil }
        return TodoFile(
            todo: todo, path: path, size: content.count, modifiedNanoseconds: 0, inode: 0,
            digest: TaskFolder.digest(content))
    }

    /// Whether ``TaskFiles/create(_:now:)`` writes these bytes for the task, at any time.
    public static func isNew(_ todo: Todo, _ bytes: [UInt8], now: Timestamp) -> Bool {
        guard let fresh = try? VTodoWriter.new(todo, now: now),
            var wanted = try? VTodoReader.read(fresh, list: todo.list).todo,
            var found = try? VTodoReader.read(bytes, list: todo.list).todo
        else { return false }
        (wanted.created, found.created) = (nil, nil)
        return wanted == found
    }
}

extension TaskFolder {
    /// The list of a path `list/name.ics`. Throws if the path leads elsewhere.
    static func list(of path: String) throws(TaskStoreError) -> GTDList {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, isFolderName(parts[0]), !parts[1].hasPrefix("."), parts[1].hasSuffix(".ics")
        else { throw .badListName(path) }
        return GTDList(parts[0])
    }

    /// Whether the list can be written to: opus makes only folders with plain names, but a user may have made others.
    func accepts(_ list: GTDList) -> Bool {
        GTDList.isValid(list.rawValue)
            || Self.isFolderName(list.rawValue)
                && (try? SystemCall.version(absolute(list.rawValue)))?.isFolder == true
    }

    private static func isFolderName(_ text: String) -> Bool {
        !text.isEmpty && !text.hasPrefix(".") && !text.contains("/")
    }
}

extension TaskFolder {
    /// A task that shares its file cannot be moved: the others would go with it.
    func requireAlone(_ file: TodoFile) throws(TaskStoreError) {
        let path = absolute(file.path)
        let (bytes, _) = try SystemCall.read(path, maximum: Self.fileBytes)
        let tasks = (try? VTodoReader.all(bytes, list: file.todo.list)) ?? []
        guard tasks.count <= 1 else { throw .sharedFile(path: path, tasks: tasks.count) }
    }
}
