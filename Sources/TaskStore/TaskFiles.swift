import Files
public import Models
import TodoCalendar

/// The folder of task files: scan, compare, write.
///
/// The folder belongs to the user and to every program that supports vdir. opus adds files, changes single lines, and
/// moves files between lists. It never changes an unreadable file, and deletes only files that it wrote, byte for byte,
/// when their run is undone.
public struct TaskFiles: Sendable {
    public let root: String
    let folder: TaskFolder
    let index: TaskIndex
    let shelf: ConflictShelf?
    /// Replaced in tests.
    var renaming = Renaming.system
    /// Called in tests between reading and replacing a file, with its path.
    var willReplace: (@Sendable (String) -> Void)?

    /// `conflicts`: the folder for opus's values of conflicts, created when needed; nil: they are not kept.
    public init(root: String, conflicts: String? = nil) {
        var trimmed = root[...]
        while trimmed.count > 1, trimmed.last == "/" { trimmed.removeLast() }
        self.root = String(trimmed)
        folder = TaskFolder(root: self.root)
        index = TaskIndex(folder: folder)
        shelf = conflicts.map { ConflictShelf(folder: $0) }
    }

    /// Compares the folder with the versions that we know. Reads only files whose size, time or inode changed.
    public func scan(
        known: [TodoFile], now: Timestamp, allowMassDelete: Bool
    ) throws(TaskStoreError) -> TaskScan {
        guard let listing = try folder.list() else {
            guard known.isEmpty || allowMassDelete else {
                throw .massDeletion(vanished: known.count, known: known.count)
            }
            return TaskScan(changes: known.map { .deleted($0.todo, wasOpen: $0.todo.isOpen) })
        }
        // Switches to libical's thread once for all files.
        return try CalendarThread.run { () throws(TaskStoreError) in
            var scanner = TaskScanner(folder: folder, known: known, now: now)
            scanner.receive(listing)
            return try scanner.compared(isEmpty: listing.lists.isEmpty, allowMassDelete: allowMassDelete)
        }
    }

    /// Every readable task as it is now, and what cannot be read. Changes are not looked for.
    public func list(known: [TodoFile], now: Timestamp) throws(TaskStoreError) -> TaskScan {
        guard let listing = try folder.list() else { return TaskScan() }
        return CalendarThread.run {
            var scanner = TaskScanner(folder: folder, known: known, now: now)
            scanner.receive(listing)
            return scanner.listed()
        }
    }

    /// How many files hold events and no task, without a reading of those that are known to hold tasks.
    public func eventFiles(besides known: Set<String>) throws(TaskStoreError) -> Int {
        guard let listing = try folder.list() else { return 0 }
        let others = listing.entries.filter { !known.contains($0.path) && folder.mayHaveNoTask($0) }
        guard !others.isEmpty else { return 0 }
        return CalendarThread.run {
            others.count { entry in
                if case .events = folder.read(entry) { return true }
                return false
            }
        }
    }

    /// The file of a task, read again; nil when there is none. Throws when the only candidate cannot be read.
    public func file(for id: TodoID) throws(TaskStoreError) -> TodoFile? {
        try index.files(for: id, thorough: true).first
    }
}
