import Crypto
import Glibc
import Models
import TodoCalendar

/// The task folder as a vdir: `<root>/<list>/<anything>.ics`.
///
/// opus writes one task in a file, as vdir requires. It also reads files with several tasks, which other programs
/// export. It ignores dot files, `.tmp` files and everything that does not end in `.ics`. It never parses a file name:
/// the UID in the file identifies the task.
struct TaskFolder: Sendable {
    struct Entry: Sendable {
        var list: GTDList
        /// Relative to the root.
        var path: String
        var version: SystemCall.Version
    }

    struct Listing: Sendable {
        var lists: [GTDList] = []
        /// Sorted by path.
        var entries: [Entry] = []
        /// List folders, and names in them, that cannot be read.
        var refused: [MalformedTodo] = []
    }

    /// The result of reading one file.
    enum Content: Sendable {
        /// The tasks in the order of the file; empty: the file has only instances of a series in another file.
        case tasks([TodoFile])
        /// Events and other components, without a task.
        case events
        case malformed(CalendarError, guess: TodoID?)
        /// Not a regular file, or unreadable; the reason.
        case refused(String)
        /// The file was removed after the folder was listed.
        case vanished
    }

    /// The largest file to read, in bytes.
    static let fileBytes = 1 << 20

    let root: String

    func absolute(_ path: String) -> String { root + "/" + path }

    /// Everything; nil when the root does not exist.
    func list() throws(TaskStoreError) -> Listing? {
        guard var listing = try lists() else { return nil }
        for list in listing.lists {
            do {
                let inside = try entries(of: list)
                listing.entries += inside.entries
                listing.refused += inside.refused
            } catch {
                listing.refused.append(
                    MalformedTodo(path: list.rawValue, line: 0, reason: Self.reason(error)))
            }
        }
        return listing
    }

    /// The list folders only, in the order of the paths in them; nil when the root does not exist.
    func lists() throws(TaskStoreError) -> Listing? {
        let items: [SystemCall.Item]
        do {
            items = try SystemCall.items(in: root) { !$0.hasPrefix(".") }
        } catch {
            if case .io(errno: ENOENT, path: _) = error { return nil }
            throw error
        }
        var listing = Listing()
        for item in items where item.name.isExact {
            guard let version = item.version else { continue }
            if version.isFolder {
                listing.lists.append(GTDList(item.name.text))
            } else if version.isLink, isFolder(behind: item.name.text) {
                listing.refused.append(
                    MalformedTodo(
                        path: item.name.text, line: 0, reason: "a symbolic link; put a folder in its place"))
            }
        }
        listing.lists.sort { $0.rawValue + "/" < $1.rawValue + "/" }
        return listing
    }

    private func isFolder(behind link: String) -> Bool {
        guard let target = try? SystemCall.version(absolute(link), followLinks: true) else { return false }
        return target.isFolder
    }

    func entries(of list: GTDList) throws(TaskStoreError) -> Listing {
        var listing = Listing()
        let items = try SystemCall.items(in: absolute(list.rawValue)) {
            !$0.hasPrefix(".") && $0.hasSuffix(".ics")
        }
        listing.entries.reserveCapacity(items.count)
        for item in items {
            let path = list.rawValue + "/" + item.name.text
            guard item.name.isExact else {
                listing.refused.append(
                    MalformedTodo(path: path, line: 0, reason: "the file's name is not UTF-8; rename it"))
                continue
            }
            guard let version = item.version else { continue }
            listing.entries.append(Entry(list: list, path: path, version: version))
        }
        return listing
    }

    func read(_ entry: Entry) -> Content {
        guard entry.version.isRegular else {
            return .refused(
                "\(entry.version.isLink ? "a symbolic link" : "not a plain file"); put a file in its place")
        }
        do {
            let (bytes, version) = try SystemCall.read(absolute(entry.path), maximum: Self.fileBytes)
            return content(bytes, version, entry)
        } catch {
            if case .io(errno: ENOENT, path: _) = error { return .vanished }
            return .refused(Self.reason(error))
        }
    }

    /// Whether the word that begins a task is missing: much sooner known than what the file says.
    func mayHaveNoTask(_ entry: Entry) -> Bool {
        guard entry.version.isRegular,
            let (bytes, _) = try? SystemCall.read(absolute(entry.path), maximum: Self.fileBytes)
        else { return false }
        let word = Array("vtodo".utf8)
        return !bytes.indices.dropLast(word.count - 1).contains { start in
            (bytes[start] | 0x20) == word[0]
                && bytes[start..<start + word.count].elementsEqual(word) { $0 | 0x20 == $1 }
        }
    }

    private func content(_ bytes: [UInt8], _ version: SystemCall.Version, _ entry: Entry) -> Content {
        do {
            let tasks = try VTodoReader.all(bytes, list: entry.list).filter { !$0.isInstance }
            let digest = Self.digest(bytes)
            return .tasks(tasks.map { Self.record($0.todo, path: entry.path, digest, version) })
        } catch {
            if case .onlyEvents = error.code { return .events }
            return .malformed(error, guess: VTodoReader.guessUID(bytes))
        }
    }

    static func record(
        _ todo: Todo, path: String, _ bytes: [UInt8], _ version: SystemCall.Version
    ) -> TodoFile {
        record(todo, path: path, digest(bytes), version)
    }

    static func record(
        _ todo: Todo, path: String, _ digest: String, _ version: SystemCall.Version
    ) -> TodoFile {
        TodoFile(
            todo: todo, path: path, size: version.size, modifiedNanoseconds: version.modifiedNanoseconds,
            inode: version.inode, digest: digest)
    }

    static func digest(_ bytes: [UInt8]) -> String { Hex.encode(SHA256.hash(bytes)) }

    /// The clause after the path.
    private static func reason(_ error: TaskStoreError) -> String {
        switch error {
        case .permission: "permission denied; change its owner or mode"
        case .io(let number, path: _): SystemCall.text(of: number)
        case .massDeletion, .noSpace, .readOnly, .changedMeanwhile, .notFound, .severalFiles, .malformed,
            .refused,
            .badListName, .nameTaken, .sharedFile:
            "cannot be read"
        }
    }
}

extension TodoFile {
    func isSame(as version: SystemCall.Version) -> Bool {
        size == version.size && modifiedNanoseconds == version.modifiedNanoseconds && inode == version.inode
    }
}
