import CLinux
import Glibc

/// Waits until data is on disk.
public enum Durable {
    /// The bytes of an open file.
    public static func sync(file: Int32) throws(FileFailure) {
        while fsync(file) != 0 {
            guard errno == EINTR else { throw .last }
        }
    }

    /// The names in an open folder. Some network file systems cannot sync a folder; then the server is responsible.
    public static func sync(folder: Int32) throws(FileFailure) {
        do throws(FileFailure) {
            try sync(file: folder)
        } catch {
            guard isUnsupported(error.number) else { throw error }
        }
    }

    /// The names in a folder, by its path.
    public static func sync(folderAt path: String) throws(FileFailure) {
        let number = sync(pathOfFile: path)
        guard number == 0 || isUnsupported(number) else { throw FileFailure(number: number) }
    }

    /// The bytes of a file that is not open. Returns 0 or the error number.
    public static func sync(pathOfFile path: String) -> Int32 { opus_fsync_path(path) }

    private static func isUnsupported(_ number: Int32) -> Bool {
        number == EINVAL || number == ENOTSUP || number == ENOSYS
    }
}
