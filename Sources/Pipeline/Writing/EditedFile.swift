import Foundation
import Glibc
import Models

/// The file in which an editor changes a draft, for one opus at a time.
///
/// It keeps the text until the draft is saved, even if the editor or opus crashes. A second editor of the same draft
/// gets a file of its own.
public final class EditedFile: Sendable {
    public let path: String
    /// Files of earlier second editors that were interrupted. Their text is nowhere else.
    public let left: [String]
    private let lock: StateLock

    private init(path: String, left: [String], lock: StateLock) {
        self.path = path
        self.left = left
        self.lock = lock
    }

    /// The first file of this name that no other opus has. `name`: without its extension.
    ///
    /// The first editor continues in the file of an interrupted one. A second one begins a new file.
    ///
    /// - Throws: ``Problem`` if the folder or the lock cannot be made.
    static func take(_ name: String, in folder: String) throws -> EditedFile {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        var number = 1
        while true {
            let path = file(name, number, folder)
            do throws(Problem) {
                let lock = try StateLock.take(path: lockFile(path))
                // Otherwise the other editor has just removed the file of the lock.
                guard lock.isInPlace(lockFile(path)) else { continue }
                if number == 1 || !exists(path) {
                    return EditedFile(path: path, left: left(name, besides: path, folder), lock: lock)
                }
                unlink(lockFile(path))
                number += 1
            } catch {
                guard error.code == "locked" else { throw error }
                number += 1
            }
        }
    }

    private static func left(_ name: String, besides own: String, _ folder: String) -> [String] {
        (2...mostLeft).map { file(name, $0, folder) }.filter { path in
            path != own && exists(path) && !StateLock.isHeld(path: lockFile(path))
        }
    }

    private static let mostLeft = 20

    private static func file(_ name: String, _ number: Int, _ folder: String) -> String {
        "\(folder)/\(name)" + (number == 1 ? "" : "-\(number)") + ".eml"
    }

    private static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    private static func lockFile(_ path: String) -> String { path + ".lock" }

    /// Another editor may use the name afterwards. The file itself stays if it is there.
    public func release() { unlink(Self.lockFile(path)) }
}
