import Foundation
import Glibc
import MIMEParser
import Models
import Rules

/// Files of the user to attach to a mail, read completely, within the limits of common servers.
struct AttachedFiles {
    /// The total size of all files of a mail, in bytes: nearly all servers accept it after encoding.
    static let limit = 25 << 20

    let directory: String
    let home: String?

    /// Paths are relative to the current directory; `~/` is the user's home folder.
    static var standard: AttachedFiles {
        AttachedFiles(
            directory: FileManager.default.currentDirectoryPath,
            home: ProcessInfo.processInfo.environment["HOME"])
    }

    /// Reads a file, with its own name. `used`: the bytes that the mail already has.
    func read(_ typed: String, used: Int) throws(Problem) -> MessageBuilder.File {
        let path = absolute(typed)
        var status = stat()
        guard stat(path, &status) == 0 else { throw refusal(typed, errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw Problem("is-folder", exit: .badData, message: "cannot attach \(typed): not a regular file")
        }
        try Self.check(used + Int(status.st_size), adding: typed)
        guard let data = FileManager.default.contents(atPath: path) else {
            throw refusal(typed, errno)
        }
        // The file may have grown since.
        try Self.check(used + data.count, adding: typed)
        let name = SafeFileName.make(path)
        return MessageBuilder.File(
            name: name, contentType: MediaTypes.system.type(of: name), bytes: [UInt8](data))
    }

    static func check(_ total: Int, adding what: String) throws(Problem) {
        guard total > limit else { return }
        throw Problem(
            "too-large", exit: .badData,
            message:
                "with \(what) the mail's files are \(megabytes(total)), more than the \(megabytes(limit)) "
                + "that servers take",
            next: ["leave a file out, or send a link to it"])
    }

    /// Rounded up, so that a size above the limit is never shown as the limit.
    private static func megabytes(_ bytes: Int) -> String {
        let tenths = (bytes * 10 + (1 << 20) - 1) >> 20
        return tenths % 10 == 0 ? "\(tenths / 10) MB" : "\(tenths / 10).\(tenths % 10) MB"
    }

    private func absolute(_ path: String) -> String {
        if let home, path.hasPrefix("~/") { return home + path.dropFirst() }
        return path.hasPrefix("/") ? path : directory + "/" + path
    }

    private func refusal(_ path: String, _ number: Int32) -> Problem {
        let reason = String(cString: strerror(number))
        return number == ENOENT
            ? Problem("no-such-file", exit: .notFound, message: "cannot attach \(path): \(reason)")
            : Problem("cannot-read", exit: .inputOutput, message: "cannot attach \(path): \(reason)")
    }
}
