import Files
import Glibc
public import Models
import TodoCalendar

/// Writes new and changed files. Each change is on disk, with its name, before the call returns.
extension TaskFiles {
    /// Writes a new task. If a list already has a file with this UID, returns that file unchanged.
    public func create(_ todo: Todo, now: Timestamp) throws(TaskStoreError) -> TodoFile {
        guard GTDList.isValid(todo.list.rawValue) else { throw .badListName(todo.list.rawValue) }
        if let existing = try index.files(for: todo.id, thorough: false).first { return existing }
        try makeList(todo.list)
        let path = todo.list.rawValue + "/" + FileName.preferred(todo.id)
        let bytes = try written(todo, now: now, at: path).bytes
        if let file = try place(bytes, at: path, of: todo) { return file }
        let other = todo.list.rawValue + "/" + FileName.derived(todo.id)
        if let file = try place(bytes, at: other, of: todo) { return file }
        throw TaskStoreError.nameTaken(path: folder.absolute(other))
    }

    /// Changes properties in place, and the list by moving the file, whose name stays.
    public func update(
        _ id: TodoID, _ patch: TodoPatch, now: Timestamp
    ) throws(TaskStoreError) -> TodoFile {
        let files = try index.files(for: id, thorough: true)
        guard var file = files.first else { throw .notFound(id) }
        guard files.count == 1 else {
            throw .severalFiles(id, paths: files.map { folder.absolute($0.path) })
        }
        if let list = patch.list, list != file.todo.list { try folder.requireAlone(file) }
        file = try patched(file, patch, now: now)
        if let list = patch.list, list != file.todo.list { file = try moved(file, to: list) }
        return file
    }

    /// Whether ``update(_:_:now:)`` would change anything; throws what it would throw before it writes.
    public func wouldChange(
        _ id: TodoID, _ patch: TodoPatch, now: Timestamp
    ) throws(TaskStoreError) -> Bool {
        let files = try index.files(for: id, thorough: true)
        guard let file = files.first else { throw .notFound(id) }
        guard files.count == 1 else {
            throw .severalFiles(id, paths: files.map { folder.absolute($0.path) })
        }
        if let list = patch.list, !GTDList.isValid(list.rawValue) { throw .badListName(list.rawValue) }
        let moves = patch.list.map { $0 != file.todo.list } ?? false
        if moves { try folder.requireAlone(file) }
        let path = folder.absolute(file.path)
        let (bytes, _) = try SystemCall.read(path, maximum: TaskFolder.fileBytes)
        do {
            let patched = try VTodoPatcher.apply(patch, to: bytes, of: id, now: now)
            return patched != bytes || moves
        } catch {
            throw TaskStoreError.refused(path: path, error: error)
        }
    }

    /// Throws what ``create(_:now:)`` would throw before it writes.
    public func requireWritable(_ todo: Todo, now: Timestamp) throws(TaskStoreError) {
        guard GTDList.isValid(todo.list.rawValue) else { throw .badListName(todo.list.rawValue) }
        do {
            _ = try VTodoWriter.new(todo, now: now)
        } catch {
            throw TaskStoreError.refused(
                path: folder.absolute(todo.list.rawValue + "/" + FileName.preferred(todo.id)), error: error)
        }
    }

    // MARK: Creating

    /// The bytes of a new file, and the task as they read.
    func written(
        _ todo: Todo, now: Timestamp, at path: String
    ) throws(TaskStoreError) -> (bytes: [UInt8], todo: Todo) {
        do {
            return try VTodoWriter.written(todo, now: now)
        } catch {
            throw TaskStoreError.refused(path: folder.absolute(path), error: error)
        }
    }

    /// nil when another task's file has the name.
    func place(_ bytes: [UInt8], at path: String, of todo: Todo) throws(TaskStoreError) -> TodoFile? {
        let target = folder.absolute(path)
        let temporary = folder.absolute(todo.list.rawValue) + "/" + FileName.temporary()
        let version: SystemCall.Version
        do {
            version = try SystemCall.writeNew(temporary, bytes)
        } catch {
            throw error.at(target)
        }
        let number = renaming.moveToFreeName(from: temporary, to: target)
        guard number == 0 else {
            SystemCall.remove(temporary)
            guard number == EEXIST else { throw TaskStoreError(errno: number, path: target) }
            return try holder(of: path, todo)
        }
        try SystemCall.sync(folder: folder.absolute(todo.list.rawValue))
        return try record(todo.id, path, bytes, version, list: todo.list)
    }

    /// Another program took the name since the check: the same task is fine.
    func holder(of path: String, _ todo: Todo) throws(TaskStoreError) -> TodoFile? {
        let target = folder.absolute(path)
        let entry = TaskFolder.Entry(list: todo.list, path: path, version: try SystemCall.version(target))
        switch folder.read(entry) {
        case .tasks(let files): return files.first { $0.todo.id == todo.id }
        case .malformed(let error, guess: _): throw .malformed(path: target, error: error)
        case .events, .refused, .vanished: return nil
        }
    }

    func makeList(_ list: GTDList) throws(TaskStoreError) {
        try makeRoot()
        let path = folder.absolute(list.rawValue)
        guard try SystemCall.makeFolder(path) else {
            // Never through a link: it may point out of the task folder.
            guard try SystemCall.version(path).isFolder else {
                throw TaskStoreError(errno: ENOTDIR, path: path)
            }
            return
        }
        // Other programs show this name; without it they show the name of the folder.
        _ = try SystemCall.writeNew(path + "/displayname", Array(list.title.utf8))
        try SystemCall.sync(folder: root)
    }

    private func makeRoot() throws(TaskStoreError) {
        guard !SystemCall.exists(root) else { return }
        var path = root.hasPrefix("/") ? "" : "."
        for part in root.split(separator: "/") {
            path += "/" + part
            if !SystemCall.exists(path) { _ = try SystemCall.makeFolder(path) }
        }
    }

    // MARK: Changing

    private func patched(
        _ file: TodoFile, _ patch: TodoPatch, now: Timestamp
    ) throws(TaskStoreError) -> TodoFile {
        let path = folder.absolute(file.path)
        let (bytes, version) = try SystemCall.read(path, maximum: TaskFolder.fileBytes)
        guard TaskFolder.digest(bytes) == file.digest else { throw .changedMeanwhile(path: path) }
        let patched: [UInt8]
        do {
            patched = try VTodoPatcher.apply(patch, to: bytes, of: file.todo.id, now: now)
        } catch {
            throw TaskStoreError.refused(path: path, error: error)
        }
        guard patched != bytes else { return file }
        willReplace?(path)
        let temporary = folder.absolute(file.todo.list.rawValue) + "/" + FileName.temporary()
        let replacement: SystemCall.Version
        do {
            replacement = try SystemCall.writeNew(temporary, patched, like: version)
            try replace(path, with: temporary, ours: patched, expecting: file.digest)
        } catch {
            SystemCall.remove(temporary)
            throw error.at(path)
        }
        // The version that the exchange handed back; gone before the index notes the folder's time.
        SystemCall.remove(temporary)
        try SystemCall.sync(folder: folder.absolute(file.todo.list.rawValue))
        return try record(file.todo.id, file.path, patched, replacement, list: file.todo.list)
    }

    /// Puts the new version in place, if the old one is still the version that was read.
    ///
    /// The exchange hands back what it replaced, so there is no moment in which another program's version
    /// could be lost between the check and the rename.
    func replace(
        _ path: String, with temporary: String, ours: [UInt8], expecting digest: String
    ) throws(TaskStoreError) {
        let number = renaming.exchange(AT_FDCWD, temporary, path)
        if Renaming.isUnsupported(number) {
            guard self.digest(path) == digest else { throw .changedMeanwhile(path: path) }
            guard rename(temporary, path) == 0 else { throw TaskStoreError(errno: errno, path: path) }
            return
        }
        guard number != ENOENT else { throw .changedMeanwhile(path: path) }
        guard number == 0 else { throw TaskStoreError(errno: number, path: path) }
        guard self.digest(temporary) != digest else { return }
        _ = renaming.exchange(AT_FDCWD, temporary, path)
        if self.digest(temporary) != TaskFolder.digest(ours) {
            // A third version came in between the two exchanges: the newest one stays.
            _ = renaming.exchange(AT_FDCWD, temporary, path)
        }
        throw .changedMeanwhile(path: path)
    }

    func digest(_ path: String) -> String? {
        (try? SystemCall.read(path, maximum: TaskFolder.fileBytes)).map { TaskFolder.digest($0.bytes) }
    }

    func moved(_ file: TodoFile, to list: GTDList) throws(TaskStoreError) -> TodoFile {
        guard folder.accepts(list) else { throw .badListName(list.rawValue) }
        try makeList(list)
        let name = file.path.split(separator: "/").last.map(String.init) ?? FileName.preferred(file.todo.id)
        let path = list.rawValue + "/" + name
        let number = renaming.moveToFreeName(from: folder.absolute(file.path), to: folder.absolute(path))
        guard number != EEXIST else { throw .nameTaken(path: folder.absolute(path)) }
        guard number != ENOENT else { throw .changedMeanwhile(path: folder.absolute(file.path)) }
        guard number == 0 else { throw TaskStoreError(errno: number, path: folder.absolute(path)) }
        try SystemCall.sync(folder: folder.absolute(list.rawValue))
        try SystemCall.sync(folder: folder.absolute(file.todo.list.rawValue))
        index.forget(file.path, in: file.todo.list)
        var file = file
        file.path = path
        file.todo.list = list
        index.note(
            path, holding: [file.todo.id], version: try SystemCall.version(folder.absolute(path)), in: list)
        return file
    }

    /// The record that a scan of these bytes would make.
    func record(
        _ id: TodoID, _ path: String, _ bytes: [UInt8], _ version: SystemCall.Version, list: GTDList
    ) throws(TaskStoreError) -> TodoFile {
        do throws(CalendarError) {
            let tasks = try VTodoReader.all(bytes, list: list).filter { !$0.isInstance }.map(\.todo)
            guard let todo = tasks.first(where: { $0.id == id }) else { throw CalendarError(.noSuchTodo) }
            var file = TaskFolder.record(todo, path: path, bytes, version)
            index.note(path, holding: tasks.map(\.id), version: version, in: list)
            // The others in the file may be new to the store: no file has this size, so it is read again.
            if tasks.count > 1 { file.size = -1 }
            return file
        } catch {
            throw TaskStoreError.malformed(path: folder.absolute(path), error: error)
        }
    }
}

extension TaskStoreError {
    /// The same failure, reported for the task's own file instead of a temporary one.
    func at(_ path: String) -> TaskStoreError {
        switch self {
        case .noSpace: .noSpace(path: path)
        case .readOnly: .readOnly(path: path)
        case .permission: .permission(path: path)
        case .io(let number, path: _): .io(errno: number, path: path)
        case .massDeletion, .changedMeanwhile, .notFound, .severalFiles, .malformed, .refused, .badListName,
            .nameTaken, .sharedFile:
            self
        }
    }
}
