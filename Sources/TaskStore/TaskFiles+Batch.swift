import Files
import Glibc
public import Models
import TodoCalendar

/// Writes many new files with one wait for the disk.
extension TaskFiles {
    /// How many files to write before they are synced; meanwhile libical makes the next ones.
    private static let portion = 512

    /// Writes new tasks as ``create(_:now:)`` does. All files are on disk with their names when this returns.
    ///
    /// The content of a file is on disk before it gets its name, so a crash leaves complete files or none. Each file is
    /// synced separately, because a sync of the file system would wait for the data of other programs.
    ///
    /// - Returns: For each task its file or the error, in their order.
    public func create(_ todos: [Todo], now: Timestamp) -> [Result<TodoFile, TaskStoreError>] {
        let wanted: [Wanted]
        do throws(TaskStoreError) {
            // Finds all files before the first is written, because a changed folder must be read again.
            wanted = zip(todos, try index.files(for: todos.map(\.id))).map { Wanted(todo: $0, found: $1) }
        } catch {
            return todos.map { _ in .failure(error) }
        }
        let lists = Set(todos.map(\.list))
        let places = Dictionary(lists.map { ($0, place(for: $0)) }) { first, _ in first }
        let portions = stride(from: 0, to: wanted.count, by: Self.portion).map {
            Array(wanted[$0..<min($0 + Self.portion, wanted.count)])
        }
        var made = Crew.map(portions, threads: 2) { create($0, places, now: now) }.flatMap(\.self)
        for list in lists { settle(list, &made) }
        return made.map(\.file)
    }

    private struct Wanted: Sendable {
        var todo: Todo
        var found: Result<[TodoFile], TaskStoreError>
    }

    /// A task with its file, or with an error.
    private struct Made: Sendable {
        var file: Result<TodoFile, TaskStoreError>
        /// The version of the file, if opus wrote it.
        var version: SystemCall.Version?
    }

    /// A task whose file has no name yet.
    private struct Draft: Sendable {
        /// Without a path.
        var file: TodoFile
        var temporary: String
        var version: SystemCall.Version
    }

    private func place(for list: GTDList) -> Result<Void, TaskStoreError> {
        Result { () throws(TaskStoreError) in
            guard GTDList.isValid(list.rawValue) else { throw .badListName(list.rawValue) }
            try makeList(list)
        }
    }

    private func create(
        _ wanted: [Wanted], _ places: [GTDList: Result<Void, TaskStoreError>], now: Timestamp
    ) -> [Made] {
        let texts = CalendarThread.run { wanted.map { text(of: $0, places, now: now) } }
        let drafts = zip(wanted, texts).map { wanted, text in
            Result { () throws(TaskStoreError) -> Draft? in
                try text.get().map { (text) throws(TaskStoreError) in try draft(text.todo, text.bytes) }
            }
        }
        let temporaries = drafts.compactMap { try? $0.get()?.temporary }
        let numbers = Crew.map(temporaries, threads: 32) { Durable.sync(pathOfFile: $0) }
        let synced = Dictionary(zip(temporaries, numbers)) { first, _ in first }
        return zip(wanted, drafts).map { wanted, draft in
            Made(
                file: Result { () throws(TaskStoreError) in
                    if let draft = try draft.get() { return try named(draft, synced[draft.temporary]) }
                    guard let file = try wanted.found.get().first else { throw .notFound(wanted.todo.id) }
                    return file
                }, version: try? draft.get()?.version)
        }
    }

    /// nil: the task already has a file.
    private func text(
        of wanted: Wanted, _ places: [GTDList: Result<Void, TaskStoreError>], now: Timestamp
    ) -> Result<(bytes: [UInt8], todo: Todo)?, TaskStoreError> {
        Result { () throws(TaskStoreError) in
            try places[wanted.todo.list]?.get()
            guard try wanted.found.get().isEmpty else { return nil }
            return try written(wanted.todo, now: now, at: wanted.todo.list.rawValue)
        }
    }

    private func draft(_ todo: Todo, _ bytes: [UInt8]) throws(TaskStoreError) -> Draft {
        let temporary = folder.absolute(todo.list.rawValue) + "/" + FileName.temporary()
        let version = try SystemCall.writeNew(temporary, bytes, syncs: false)
        return Draft(
            file: TaskFolder.record(todo, path: "", bytes, version), temporary: temporary, version: version)
    }

    private func named(_ draft: Draft, _ synced: Int32?) throws(TaskStoreError) -> TodoFile {
        var file = draft.file
        do throws(TaskStoreError) {
            if let synced, synced != 0 { throw TaskStoreError(errno: synced, path: draft.temporary) }
            for stem in [FileName.preferred(file.todo.id), FileName.derived(file.todo.id)] {
                file.path = file.todo.list.rawValue + "/" + stem
                let target = folder.absolute(file.path)
                let number = renaming.moveToFreeName(from: draft.temporary, to: target)
                if number == 0 { return file }
                guard number == EEXIST else { throw TaskStoreError(errno: number, path: target) }
                if let holder = try holder(of: file.path, file.todo) {
                    SystemCall.remove(draft.temporary)
                    return holder
                }
            }
            throw .nameTaken(path: folder.absolute(file.path))
        } catch {
            SystemCall.remove(draft.temporary)
            throw error
        }
    }

    /// The names are on the disk.
    private func settle(_ list: GTDList, _ made: inout [Made]) {
        let written = made.indices.filter {
            made[$0].version != nil && (try? made[$0].file.get().todo.list) == list
        }
        guard !written.isEmpty else { return }
        do throws(TaskStoreError) {
            try SystemCall.sync(folder: folder.absolute(list.rawValue))
            // Not what another program had put there meanwhile.
            let noted = written.compactMap { index -> (String, [TodoID], SystemCall.Version)? in
                guard let file = try? made[index].file.get(), let version = made[index].version,
                    file.inode == version.inode
                else { return nil }
                return (file.path, [file.todo.id], version)
            }
            index.note(noted, in: list)
        } catch {
            for index in written { made[index].file = .failure(error) }
        }
    }
}
