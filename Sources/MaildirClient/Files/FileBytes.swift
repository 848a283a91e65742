import Files
import Glibc
import Models

/// Reads and writes whole files: the size of reads is limited, and writes are on disk when they return.
enum FileBytes {
    /// At most `limit` bytes from the beginning.
    static func read(
        _ file: borrowing Descriptor, limit: Int, path: BytePath
    ) throws(MaildirError) -> [UInt8] {
        try readWithStatus(file, limit: limit, path: path).bytes
    }

    /// The same, with the size and the times of the file.
    static func readWithStatus(
        _ file: borrowing Descriptor, limit: Int, path: BytePath
    ) throws(MaildirError) -> (bytes: [UInt8], status: stat) {
        guard let status = file.status() else { throw .system(errno, path) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .io(errno: EISDIR, path: path.description) }
        let wanted = min(max(0, limit), Int(status.st_size))
        let descriptor = file.raw
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
            while count < wanted, let start = buffer.baseAddress {
                let got = Glibc.read(descriptor, start + count, wanted - count)
                if got < 0 {
                    if errno == EINTR { continue }
                    failure = errno
                }
                guard got > 0 else { return }
                count += got
            }
        }
        if failure != 0 { throw .system(failure, path) }
        return (bytes, status)
    }

    /// Writes a new file, and returns when it is on disk. Replaces a file that a crash left under this name.
    static func write(
        _ bytes: [UInt8], to name: [UInt8], in folder: borrowing Descriptor, mode: mode_t,
        modified: Timestamp?, path: BytePath
    ) throws(MaildirError) {
        _ = unlinkat(folder.raw, name.cString, 0)
        do throws(FileFailure) {
            try NewFile.write(bytes, to: name.cString, in: folder.raw, mode: mode) {
                file throws(FileFailure) in
                guard let modified else { return }
                let time = timespec(tv_sec: time_t(modified.seconds), tv_nsec: 0)
                guard futimens(file, [time, time]) == 0 else { throw FileFailure(number: errno) }
            }
        } catch {
            throw .system(error.number, path)
        }
    }
}
