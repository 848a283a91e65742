import Models
import TodoCalendar

/// One scan: compares the folder with the known files.
///
/// A task keeps its known record if its file is or may be unreadable, if two files claim its UID, or if its list folder
/// is unreadable: it counts as neither changed nor deleted.
struct TaskScanner {
    private let folder: TaskFolder
    private let known: [TodoFile]
    /// Indices into `known`.
    private let byPath: TasksByKey<String>
    private let byID: [TodoID: Int]
    private lazy var byInode = TasksByKey(known.map(\.inode))
    /// Sorted by path.
    private var found: [TodoFile] = []
    private var malformed: [MalformedTodo] = []
    private var kept: Set<TodoID> = []
    /// Whether a file became unreadable recently and has no readable UID: it may contain any missing task.
    private var mayHoldAny = false
    /// The number of files with events and without a task.
    private var eventFiles = 0
    private let now: Timestamp
    /// How long an unreadable file may be in the middle of a write, in seconds.
    private static let makingSeconds: Int64 = 3_600

    init(folder: TaskFolder, known: [TodoFile], now: Timestamp) {
        self.folder = folder
        self.now = now
        self.known = known
        byPath = TasksByKey(known.map(\.path))
        byID = Dictionary(zip(known.lazy.map(\.todo.id), known.indices)) { first, _ in first }
    }

    mutating func receive(_ listing: TaskFolder.Listing) {
        for refused in listing.refused {
            malformed.append(refused)
            kept.formUnion(known.filter { $0.path.hasPrefix(refused.path + "/") }.map(\.todo.id))
        }
        found.reserveCapacity(listing.entries.count)
        for entry in listing.entries { receive(entry) }
        separateDuplicates()
    }

    private mutating func receive(_ entry: TaskFolder.Entry) {
        let before = byPath[entry.path].map { known[$0] }
        let isSame = before.allSatisfy { $0.isSame(as: entry.version) && $0.todo.list == entry.list }
        if isSame, !before.isEmpty {
            found += before
            return
        }
        switch folder.read(entry) {
        case .tasks(let files):
            for file in files { found.append(earlierReading(of: file, among: before)) }
        case .events:
            eventFiles += 1
        case .vanished:
            break
        case .malformed(let error, let guess):
            let ids = heldIDs(entry, before)
            let guessed = ids.isEmpty ? [guess.flatMap(knownID)].compactMap(\.self) : ids
            // An unknown UID may be one that is cut short.
            if guessed.isEmpty, isRecent(entry) { mayHoldAny = true }
            leave(entry.path, line: error.line, reason: error.description, ids: guessed)
        case .refused(let reason):
            leave(entry.path, line: 0, reason: reason, ids: heldIDs(entry, before))
        }
    }

    /// Same bytes, same task: the earlier reading stays, even if a newer reader differs.
    private func earlierReading(of file: TodoFile, among before: [TodoFile]) -> TodoFile {
        guard
            let known = before.first(where: { $0.todo.id == file.todo.id }), known.digest == file.digest,
            known.todo.list == file.todo.list
        else { return file }
        var file = file
        file.todo = known.todo
        return file
    }

    /// The tasks that a file held when it could be read; it may have been renamed since.
    private mutating func heldIDs(_ entry: TaskFolder.Entry, _ before: [TodoFile]) -> [TodoID] {
        guard before.isEmpty else { return before.map(\.todo.id) }
        return byInode[entry.version.inode].map { known[$0].todo.id }
    }

    private func isRecent(_ entry: TaskFolder.Entry) -> Bool {
        let change = SystemCall.lastChange(folder.absolute(entry.path)) ?? now.seconds
        return change > now.seconds - Self.makingSeconds
    }

    private func knownID(_ id: TodoID) -> TodoID? { byID[id] == nil ? nil : id }

    private mutating func leave(_ path: String, line: Int, reason: String, ids: [TodoID]) {
        malformed.append(MalformedTodo(path: path, line: line, reason: reason, id: ids.first))
        kept.formUnion(ids)
    }

    private mutating func separateDuplicates() {
        var seen: Set<TodoID> = []
        let twice = Set(found.lazy.map(\.todo.id).filter { !seen.insert($0).inserted })
        guard !twice.isEmpty else { return }
        let groups = Dictionary(grouping: found.filter { twice.contains($0.todo.id) }, by: \.todo.id)
        found.removeAll { twice.contains($0.todo.id) }
        // The other tasks of these files get a size that no file has, so that the files are read again when one is gone.
        let paths = Set(groups.values.joined().map(\.path))
        for index in found.indices where paths.contains(found[index].path) { found[index].size = -1 }
        for files in groups.values {
            for file in files {
                let others = files.map(\.path).filter { $0 != file.path }.sorted()
                leave(
                    file.path, line: 0,
                    reason: "the same UID as \(others.joined(separator: " and ")); keep one",
                    ids: [file.todo.id])
            }
        }
    }

    /// Every readable task, and the known record of every task whose file cannot be read; no changes.
    mutating func listed() -> TaskScan {
        let unread = missing().unread
        if !unread.isEmpty {
            found += unread
            found.sort { $0.path < $1.path }
        }
        malformed.sort { ($0.path, $0.line) < ($1.path, $1.line) }
        var scan = TaskScan(files: found, malformed: malformed)
        scan.eventFiles = eventFiles
        return scan
    }

    mutating func compared(isEmpty: Bool, allowMassDelete: Bool) throws(TaskStoreError) -> TaskScan {
        let vanished = missing().vanished
        if !allowMassDelete { try stopMassDeletion(vanished, isEmpty: isEmpty) }
        var changes: [TodoChange] = []
        for file in found {
            if let before = byID[file.todo.id] {
                changes += TodoComparison.changes(from: known[before].todo, to: file.todo)
            } else {
                changes.append(.added(file.todo))
            }
        }
        changes += vanished.map { .deleted($0.todo, wasOpen: $0.todo.isOpen) }
        let repeated = repeated()
        var scan = listed()
        scan.changes = changes
        scan.repeated = repeated
        return scan
    }

    /// Known tasks that were not found: those whose file may be one that cannot be read, and those that are gone. By path.
    private func missing() -> (unread: [TodoFile], vanished: [TodoFile]) {
        var isFound = [Bool](repeating: false, count: known.count)
        for file in found { if let index = byID[file.todo.id] { isFound[index] = true } }
        var (unread, vanished): ([TodoFile], [TodoFile]) = ([], [])
        for (file, isFound) in zip(known, isFound) where !isFound {
            if mayHoldAny || kept.contains(file.todo.id) {
                unread.append(file)
            } else {
                vanished.append(file)
            }
        }
        return (unread, vanished.sorted { $0.path < $1.path })
    }

    private func repeated() -> [RepeatedTodo] {
        guard known.contains(where: { $0.todo.recurrence != nil }) else { return [] }
        let added = found.map(\.todo).filter { byID[$0.id] == nil }
        return found.compactMap { file in
            byID[file.todo.id].flatMap { RepeatedTodo.between(known[$0].todo, file.todo, added: added) }
        }
    }

    /// An unmounted disk looks like an empty root.
    private func stopMassDeletion(_ vanished: [TodoFile], isEmpty: Bool) throws(TaskStoreError) {
        let gone = vanished.count(where: \.todo.isOpen)
        guard gone > 0 else { return }
        let open = known.count(where: \.todo.isOpen)
        let limit = isEmpty ? 0 : max(5, open / 5)
        guard gone <= limit else { throw .massDeletion(vanished: gone, known: open) }
    }
}

/// The tasks of each path, or inode. Nearly always there is one, which then costs no array.
private struct TasksByKey<Key: Hashable> {
    private let first: [Key: Int]
    private var further: [Key: [Int]] = [:]

    init(_ keys: [Key]) {
        first = Dictionary(zip(keys, keys.indices)) { first, _ in first }
        guard first.count < keys.count else { return }
        for (index, key) in keys.enumerated() where first[key] != index {
            further[key, default: []].append(index)
        }
    }

    subscript(_ key: Key) -> [Int] {
        guard let index = first[key] else { return [] }
        return [index] + (further[key] ?? [])
    }
}
