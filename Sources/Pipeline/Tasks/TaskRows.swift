import Foundation
import Models

/// The row numbers of the last list that the user saw, as todoman's users expect them: `opus task done 3`.
///
/// Ids are the names that never change; a row is what one list showed, and means the same task until the next list.
struct TaskRows {
    private let path: String

    init(folder: String) { path = folder + "/task-rows" }

    /// A number of at most three digits; every short id has four characters.
    static func number(_ typed: String) -> Int? {
        guard (1...3).contains(typed.utf8.count), typed.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(typed)
    }

    func save(_ ids: [TodoID]) throws {
        // A UID may hold anything but a line end.
        let lines = ids.prefix(999).map { Data($0.rawValue.utf8).base64EncodedString() }
        try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: path), options: .atomic)
    }

    /// nil when no list had that row.
    func id(_ number: Int) -> TodoID? {
        guard let data = FileManager.default.contents(atPath: path), data.count < 1 << 20 else { return nil }
        let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
        guard lines.indices.contains(number - 1), let raw = Data(base64Encoded: String(lines[number - 1]))
        else {
            return nil
        }
        return TodoID(String(decoding: raw, as: UTF8.self))
    }
}
