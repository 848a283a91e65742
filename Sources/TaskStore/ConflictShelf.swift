import Files
import Foundation
import Models

/// Stores opus's values of conflicts: one JSON file each, in a folder of the state, never in the task folder.
struct ConflictShelf: Sendable {
    /// The most conflicts to keep; the oldest ones are kept. Users do not resolve more one by one.
    static let most = 1_000
    private static let fileBytes = 1 << 20

    let folder: String

    func all() throws(TaskStoreError) -> [TodoConflict] {
        guard SystemCall.exists(folder) else { return [] }
        var found: [TodoConflict] = []
        let items = try SystemCall.items(in: folder) { !$0.hasPrefix(".") && $0.hasSuffix(".json") }
        for item in items.prefix(Self.most) where item.name.isExact {
            guard let bytes = try? SystemCall.read(path(item.name.text), maximum: Self.fileBytes).bytes,
                let conflict = try? JSONDecoder().decode(TodoConflict.self, from: Data(bytes))
            else { continue }
            found.append(conflict)
        }
        return found.sorted { ($0.at, $0.id) < ($1.at, $1.id) }
    }

    /// Returns after the file is on disk: opus's value must not be lost, because the task file keeps the other one.
    func keep(_ conflict: TodoConflict) throws(TaskStoreError) {
        _ = try SystemCall.makeFolder(folder)
        guard let data = try? JSONEncoder().encode(conflict) else { return }
        do {
            try ReplacedFile.write(
                Array(data), to: path(conflict.id + ".json"), through: path(FileName.temporary()))
        } catch {
            throw SystemCall.error(error.number, path: folder)
        }
        try SystemCall.sync(folder: folder)
    }

    func remove(_ conflict: TodoConflict) { SystemCall.remove(path(conflict.id + ".json")) }

    private func path(_ name: String) -> String { folder + "/" + name }
}
