import Foundation
import Glibc
public import Models
import Rules

/// Files whose names come from strangers: a new file, in the folder and nowhere else.
public enum SafeFile {
    /// Writes a new file; a name that is taken gets ` (2)` and so on.
    ///
    /// The folder is opened once: when another is put in its place meanwhile, the files still go where the
    /// person pointed. No link is followed, no file is opened that was there.
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
            let descriptor = openat(
                directory, numbered, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            if descriptor < 0, errno == EEXIST { continue }
            guard descriptor >= 0 else { throw cannotWrite(path, errno) }
            let failure = write(bytes, to: descriptor)
            let closing = close(descriptor) == 0 ? 0 : errno
            guard failure == 0, closing == 0 else {
                unlinkat(directory, numbered, 0)
                throw cannotWrite(path, failure == 0 ? closing : failure, next: ["free some space"])
            }
            return path
        }
        throw Problem(
            "cannot-write", exit: .cannotCreate, message: "\(folder) has too many files named \(name)")
    }

    /// 0, or the number of the error.
    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        bytes.withUnsafeBytes { buffer in
            var offset = 0
            while offset < buffer.count, let start = buffer.baseAddress {
                let count = Glibc.write(descriptor, start + offset, buffer.count - offset)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return count == 0 ? EIO : errno }
                offset += count
            }
            return 0
        }
    }

    private static func cannotWrite(_ path: String, _ number: Int32, next: [String] = []) -> Problem {
        Problem(
            "cannot-write", exit: .cannotCreate,
            message: "cannot write \(path): \(String(cString: strerror(number)))", next: next)
    }
}
