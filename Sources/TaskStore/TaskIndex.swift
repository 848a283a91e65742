import Models
import Synchronization
import TodoCalendar

/// Which file has which UID, kept between calls so that a run does not read the whole folder for every task.
///
/// A list folder is read again if its time has changed; if a missing task matters, all folders are read. Every result
/// is checked by reading the file, so an outdated index never gives a wrong answer.
final class TaskIndex: Sendable {
    private enum Holder: Equatable {
        case tasks([TodoID])
        case broken(guess: TodoID?)
        case nothing
    }

    private struct Item {
        var version: SystemCall.Version
        var holder: Holder
    }

    private struct State {
        /// The time of each list folder when it was read.
        var folders: [GTDList: Int64] = [:]
        /// By path relative to the root.
        var items: [String: Item] = [:]
        var paths: [TodoID: Set<String>] = [:]
    }

    private let folder: TaskFolder
    private let state = Mutex(State())

    init(folder: TaskFolder) { self.folder = folder }

    /// The files of a task, read again and sorted by path. `thorough`: read every folder before returning none. Throws
    /// if a file that seems to be the task's is unreadable.
    func files(for id: TodoID, thorough: Bool) throws(TaskStoreError) -> [TodoFile] {
        try refresh(thorough: false)
        var files = try read(id)
        if files.isEmpty, thorough {
            try refresh(thorough: true)
            files = try read(id)
        }
        return files
    }

    /// The same for many tasks; each folder is checked once.
    func files(
        for ids: [TodoID]
    ) throws(TaskStoreError) -> [Result<[TodoFile], TaskStoreError>] {
        try refresh(thorough: false)
        return ids.map { id in Result { () throws(TaskStoreError) in try read(id) } }
    }

    /// Records a file that opus wrote, so that its folder need not be read again.
    func note(_ path: String, holding ids: [TodoID], version: SystemCall.Version, in list: GTDList) {
        note([(path, ids, version)], in: list)
    }

    /// Records several files of one list.
    func note(_ files: [(path: String, ids: [TodoID], version: SystemCall.Version)], in list: GTDList) {
        let time = folderTime(list)
        state.withLock { state in
            guard let time, state.folders[list] != nil else { return }
            state.folders[list] = time
            for (path, ids, version) in files {
                Self.forget(path, &state)
                state.items[path] = Item(version: version, holder: .tasks(ids))
                for id in ids { state.paths[id, default: []].insert(path) }
            }
        }
    }

    /// Removes a file that opus moved away.
    func forget(_ path: String, in list: GTDList) {
        let time = folderTime(list)
        state.withLock { state in
            if state.folders[list] != nil { state.folders[list] = time }
            Self.forget(path, &state)
        }
    }

    private func folderTime(_ list: GTDList) -> Int64? {
        (try? SystemCall.version(folder.absolute(list.rawValue)))?.modifiedNanoseconds
    }

    /// The index was wrong about the folder, so it is read again next time.
    private func distrust(_ list: GTDList) {
        state.withLock { state in state.folders[list] = nil }
    }

    private func read(_ id: TodoID) throws(TaskStoreError) -> [TodoFile] {
        let paths = state.withLock { state in state.paths[id, default: []].sorted() }
        var files: [TodoFile] = []
        for path in paths {
            guard let entry = entry(path) else { continue }
            switch folder.read(entry) {
            case .tasks(let held):
                if let file = held.first(where: { $0.todo.id == id }) {
                    files.append(file)
                } else {
                    distrust(entry.list)
                }
            case .events, .vanished: distrust(entry.list)
            case .malformed(let error, guess: _):
                throw TaskStoreError.malformed(path: folder.absolute(path), error: error)
            case .refused:
                throw TaskStoreError.permission(path: folder.absolute(path))
            }
        }
        return files
    }

    private func entry(_ path: String) -> TaskFolder.Entry? {
        guard let version = try? SystemCall.version(folder.absolute(path)),
            let list = path.split(separator: "/").first
        else { return nil }
        return TaskFolder.Entry(list: GTDList(String(list)), path: path, version: version)
    }

    // MARK: Looking again

    private func refresh(thorough: Bool) throws(TaskStoreError) {
        guard let lists = try folder.lists()?.lists else { return state.withLock { $0 = State() } }
        let times = Dictionary(
            lists.compactMap { list in
                (try? SystemCall.version(folder.absolute(list.rawValue))).map {
                    (list, $0.modifiedNanoseconds)
                }
            }
        ) { first, _ in first }
        let stale = state.withLock { state in
            for gone in state.folders.keys where times[gone] == nil { Self.forget(gone, &state) }
            return lists.filter { thorough || state.folders[$0] != times[$0] }
        }
        for list in stale { look(at: list, time: times[list]) }
    }

    private func look(at list: GTDList, time: Int64?) {
        guard let entries = try? folder.entries(of: list).entries else { return }
        state.withLock { state in
            let before = state.items
            Self.forget(list, &state)
            var isSettled = true
            for entry in entries {
                let old = before[entry.path]
                let isSame = old?.version == entry.version
                let holder = isSame ? old?.holder ?? holder(entry) : holder(entry)
                state.items[entry.path] = Item(version: entry.version, holder: holder)
                switch holder {
                case .tasks(let ids): for id in ids { state.paths[id, default: []].insert(entry.path) }
                case .broken(let guess):
                    // Repaired in place, it would not change the folder's time.
                    isSettled = false
                    if let guess { state.paths[guess, default: []].insert(entry.path) }
                case .nothing: break
                }
            }
            state.folders[list] = isSettled ? time : nil
        }
    }

    private func holder(_ entry: TaskFolder.Entry) -> Holder {
        switch folder.read(entry) {
        case .tasks(let files): files.isEmpty ? .nothing : .tasks(files.map(\.todo.id))
        case .events, .vanished: .nothing
        case .malformed(_, let guess): .broken(guess: guess ?? FileName.id(ofOwn: entry.path))
        case .refused: .broken(guess: FileName.id(ofOwn: entry.path))
        }
    }

    private static func forget(_ list: GTDList, _ state: inout State) {
        state.folders[list] = nil
        for path in state.items.keys where path.hasPrefix(list.rawValue + "/") { forget(path, &state) }
    }

    private static func forget(_ path: String, _ state: inout State) {
        guard let item = state.items.removeValue(forKey: path) else { return }
        switch item.holder {
        case .tasks(let ids): for id in ids { state.paths[id]?.remove(path) }
        case .broken(guess: .some(let id)): state.paths[id]?.remove(path)
        case .broken(guess: nil), .nothing: break
        }
    }
}
