import Files
import Glibc
public import Models
import TodoCalendar

/// Undoes what opus wrote: removes a file or restores its earlier bytes, if it has not changed since.
///
/// Changes of other programs stay. The digest decides. It is computed after the file was moved aside, so that nothing
/// can change between the check and the removal.
extension TaskFiles {
    /// The path and the bytes of a task's file; nil: there is none.
    ///
    /// `thorough`: read every folder before returning nil.
    public func content(
        of id: TodoID, thorough: Bool = true
    ) throws(TaskStoreError) -> (path: String, bytes: [UInt8])? {
        guard let file = try index.files(for: id, thorough: thorough).first else { return nil }
        return (
            file.path, try SystemCall.read(folder.absolute(file.path), maximum: TaskFolder.fileBytes).bytes
        )
    }

    /// Removes a task's file if its SHA-256 (hex) is this digest. A missing file is not an error.
    public func remove(_ id: TodoID, digest: String) throws(TaskStoreError) {
        guard let file = try index.files(for: id, thorough: true).first else { return }
        let path = folder.absolute(file.path)
        guard file.digest == digest else { throw .changedMeanwhile(path: path) }
        willReplace?(path)
        let aside = folder.absolute(file.todo.list.rawValue) + "/" + FileName.temporary()
        let number = renaming.moveToFreeName(from: path, to: aside)
        guard number != ENOENT else { return }
        guard number == 0 else { throw TaskStoreError(errno: number, path: path) }
        guard self.digest(aside) == digest else {
            // Another program was faster. If its next version already has the name, that one stays.
            if renaming.moveToFreeName(from: aside, to: path) == EEXIST { SystemCall.remove(aside) }
            throw .changedMeanwhile(path: path)
        }
        SystemCall.remove(aside)
        try SystemCall.sync(folder: folder.absolute(file.todo.list.rawValue))
        index.forget(file.path, in: file.todo.list)
    }

    /// Puts the bytes of a task's file back at a path below the root, in the place of a file with this digest; nil: of none.
    ///
    /// Already done is done: the same bytes at the same path are not an error.
    public func restore(
        _ id: TodoID, path: String, content: [UInt8], digest: String?
    ) throws(TaskStoreError) -> TodoFile {
        let list = try TaskFolder.list(of: path)
        guard folder.accepts(list) else { throw .badListName(list.rawValue) }
        guard let file = try index.files(for: id, thorough: true).first else {
            guard digest == nil else { throw .notFound(id) }
            try makeList(list)
            let todo = try read(content, id, path, list)
            guard let placed = try place(content, at: path, of: todo) else {
                throw .nameTaken(path: folder.absolute(path))
            }
            return placed
        }
        let present = folder.absolute(file.path)
        let wanted = TaskFolder.digest(content)
        if file.digest == wanted, file.path == path { return file }
        guard file.digest == digest || (file.digest == wanted && digest != nil) else {
            throw .changedMeanwhile(path: present)
        }
        var back = file
        if file.digest != wanted { back = try rewritten(file, content) }
        return list == back.todo.list ? back : try moved(back, to: list)
    }

    private func rewritten(_ file: TodoFile, _ content: [UInt8]) throws(TaskStoreError) -> TodoFile {
        let path = folder.absolute(file.path)
        _ = try read(content, file.todo.id, file.path, file.todo.list)
        willReplace?(path)
        let temporary = folder.absolute(file.todo.list.rawValue) + "/" + FileName.temporary()
        let replacement: SystemCall.Version
        do {
            replacement = try SystemCall.writeNew(temporary, content, like: try SystemCall.version(path))
            try replace(path, with: temporary, ours: content, expecting: file.digest)
        } catch {
            SystemCall.remove(temporary)
            throw error.at(path)
        }
        SystemCall.remove(temporary)
        try SystemCall.sync(folder: folder.absolute(file.todo.list.rawValue))
        return try record(file.todo.id, file.path, content, replacement, list: file.todo.list)
    }

    /// Restores only what can be read again.
    private func read(
        _ content: [UInt8], _ id: TodoID, _ path: String, _ list: GTDList
    ) throws(TaskStoreError) -> Todo {
        do throws(CalendarError) {
            guard let todo = try VTodoReader.read(content, id, list: list)?.todo else {
                throw CalendarError(.noSuchTodo)
            }
            return todo
        } catch {
            throw TaskStoreError.refused(path: folder.absolute(path), error: error)
        }
    }
}
