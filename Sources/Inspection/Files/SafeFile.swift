import Files
import Foundation
import Glibc
public import Models
import Rules

/// Writes files whose names come from strangers: always a new file, and always in the folder.
public enum SafeFile {
    /// Writes a new file. If the name exists, ` (2)` and so on is added.
    ///
    /// The folder is opened once: if another folder replaces it, the files still go to the original one. No link is
    /// followed, and no existing file is opened.
    public static func write(
        _ bytes: [UInt8], named wished: String, in folder: String
    ) throws(Problem) -> String {
        let directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw cannotWrite(folder, errno, next: ["mkdir -p \(folder)"]) }
        defer { close(directory) }
        let name = SafeFileName.make(wished)
        for attempt in 1...1_000 {
            let numbered = SavedFiles.numbered(name, attempt)
            let path = folder.hasSuffix("/") ? folder + numbered : folder + "/" + numbered
            do throws(FileFailure) {
                try NewFile.write(bytes, to: numbered, in: directory, isDurable: false)
            } catch {
                if error.number == EEXIST { continue }
                let isFull = error.number == ENOSPC || error.number == EDQUOT
                throw cannotWrite(path, error.number, next: isFull ? ["free some space"] : [])
            }
            return path
        }
        throw Problem(
            "cannot-write", exit: .cannotCreate, message: "\(folder) has too many files named \(name)")
    }

    private static func cannotWrite(_ path: String, _ number: Int32, next: [String] = []) -> Problem {
        Problem(
            "cannot-write", exit: .cannotCreate,
            message: "cannot write \(path): \(String(cString: strerror(number)))", next: next)
    }
}
