import Foundation
import Glibc
import Models

/// The file in which an editor changes a draft, for one opus at a time.
///
/// It keeps the text until the draft is saved, even if the editor or opus crashes. A second editor of the same draft
/// gets a file of its own.
public final class EditedFile: Sendable {
    public let path: String
    private let lock: StateLock

    private init(path: String, lock: StateLock) {
        self.path = path
        self.lock = lock
    }

    /// The first file of this name that no other opus has. `name`: without its extension.
    ///
    /// - Throws: ``Problem`` if the folder or the lock cannot be made.
    static func take(_ name: String, in folder: String) throws -> EditedFile {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        var number = 1
        while true {
            let path = "\(folder)/\(name)" + (number == 1 ? "" : "-\(number)") + ".eml"
            do throws(Problem) {
                let lock = try StateLock.take(path: lockFile(path))
                // Otherwise the other editor has just removed the file of the lock.
                if lock.isInPlace(lockFile(path)) { return EditedFile(path: path, lock: lock) }
            } catch {
                guard error.code == "locked" else { throw error }
                number += 1
            }
        }
    }

    private static func lockFile(_ path: String) -> String { path + ".lock" }

    /// Another editor may use the name afterwards. The file itself stays if it is there.
    public func release() { unlink(Self.lockFile(path)) }
}
