import CLinux
import Files
import Glibc

/// The file operations that reading the settings needs.
enum Disk {
    static func isFile(_ path: String) -> Bool { kind(path) == S_IFREG }
    static func isProgram(_ path: String) -> Bool { isFile(path) && access(path, X_OK) == 0 }
    static func isFolder(_ path: String) -> Bool { kind(path) == S_IFDIR }

    /// The id of the mount that contains a path; nil: the path does not exist.
    static func mount(of path: String) -> UInt64? {
        var mount: UInt64 = 0
        return opus_mount_of(path, &mount) == 0 ? mount : nil
    }

    /// The path of a program in PATH; nil: not found.
    static func program(_ name: String) -> String? {
        let folders = getenv("PATH").map { String(cString: $0) }?.split(separator: ":") ?? []
        return folders.lazy.filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }
            .first { isProgram($0) }
    }

    private static func kind(_ path: String) -> mode_t? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return status.st_mode & S_IFMT
    }

    enum Text {
        case text(String)
        case missing
        case unreadable(String)
    }

    /// Reads at most one byte more than `limit`, so that the caller can detect an excess.
    static func read(_ path: String, limit: Int) -> Text {
        guard let file = fopen(path, "re") else {
            return errno == ENOENT || errno == ENOTDIR ? .missing : .unreadable(reason(errno))
        }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        let count = fread(&bytes, 1, bytes.count, file)
        guard ferror(file) == 0 else { return .unreadable(reason(errno)) }
        guard let text = String(validating: bytes.prefix(count), as: UTF8.self) else {
            return .unreadable("it is not UTF-8 text")
        }
        return .text(text)
    }

    private static func reason(_ number: Int32) -> String {
        strerror(number).map { String(cString: $0) } ?? "error \(number)"
    }

    enum Failure: Error {
        case system(Int32, path: String)
    }

    /// Creates a folder that only its owner can enter, and its parent folders.
    static func makePrivateFolder(_ path: String) throws(Failure) {
        let parts = path.split(separator: "/")
        for count in 1..<max(2, parts.count) {
            let parent = "/" + parts.prefix(count).joined(separator: "/")
            guard parent != path else { break }
            if mkdir(parent, 0o755) != 0, errno != EEXIST { throw .system(errno, path: parent) }
        }
        if mkdir(path, 0o700) == 0 { return }
        guard errno == EEXIST, isFolder(path) else { throw .system(errno, path: path) }
        var status = stat()
        // Removes permissions for others that an older version, or the user, had set.
        if stat(path, &status) == 0, status.st_mode & 0o077 != 0, chmod(path, 0o700) != 0 {
            throw .system(errno, path: path)
        }
    }

    /// Writes a small file unless it exists.
    static func writeIfMissing(_ text: String, to path: String) throws(Failure) {
        do throws(FileFailure) {
            try NewFile.write(Array(text.utf8), to: path, mode: 0o644, isDurable: false)
        } catch {
            guard error.number == EEXIST else { throw .system(error.number, path: path) }
        }
    }
}
