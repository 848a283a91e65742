import Crypto
import Files
import Glibc

/// One open folder and the calls on names in it; closed when its last owner releases it.
final class OpenFolder {
    private let raw: Int32
    private let path: String

    private init(raw: Int32, path: String) {
        self.raw = raw
        self.path = path
    }

    deinit { close(raw) }

    /// The attachments folder itself, which may be a symbolic link that the user made. nil: it does not
    /// exist.
    convenience init?(root: String, making: Bool) throws(AttachmentError) {
        if making { try Self.make(root) }
        let raw = Glibc.open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard raw >= 0 else {
            if errno == ENOENT { return nil }
            throw AttachmentError(errno: errno, at: root)
        }
        self.init(raw: raw, path: root)
    }

    /// A folder in another one, never through a symbolic link. nil: it does not exist.
    convenience init?(_ name: String, in parent: OpenFolder, making: Bool) throws(AttachmentError) {
        let path = parent.path + "/" + name
        if making, mkdirat(parent.raw, name, 0o700) == 0 { try parent.sync() }
        let raw = openat(parent.raw, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard raw >= 0 else {
            if errno == ENOENT { return nil }
            throw AttachmentError(errno: errno, at: path)
        }
        self.init(raw: raw, path: path)
    }

    private static func make(_ path: String) throws(AttachmentError) {
        var made = ""
        for part in path.split(separator: "/") {
            let parent = made.isEmpty ? "/" : made
            made += "/" + part
            guard mkdir(made, 0o700) != 0 else {
                _ = Durable.sync(pathOfFile: parent)
                continue
            }
            if errno == EEXIST { continue }
            // The program may lack write permission for the folders above.
            guard errno == EACCES || errno == EROFS || errno == EPERM, access(made, F_OK) == 0 else {
                throw AttachmentError(errno: errno, at: made)
            }
        }
    }

    // MARK: Looking

    /// The size of the file with that name; nil: it does not exist; -1: it is not a regular file.
    func size(_ name: String) throws(AttachmentError) -> Int? {
        var status = stat()
        guard fstatat(raw, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return nil }
            throw AttachmentError(errno: errno, at: path + "/" + name)
        }
        return status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : -1
    }

    /// SHA-256 of a regular file, in hex; nil: there is no regular file with that name.
    func digest(_ name: String) throws(AttachmentError) -> String? {
        guard try size(name).map({ $0 >= 0 }) ?? false else { return nil }
        let file = openat(raw, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw AttachmentError(errno: errno, at: path + "/" + name)
        }
        defer { close(file) }
        var hash = SHA256.Incremental()
        var buffer = [UInt8](repeating: 0, count: 256 << 10)
        while true {
            let count = read(file, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw AttachmentError(errno: errno, at: path + "/" + name) }
            if count == 0 { return Hex.encode(hash.finalize()) }
            hash.update(buffer[..<count])
        }
    }

    // MARK: Changing

    /// Creates a file with these bytes; it is on disk when this returns.
    func create(_ name: String, _ bytes: [UInt8]) throws(AttachmentError) {
        do throws(FileFailure) {
            try NewFile.write(bytes, to: name, in: raw)
        } catch {
            throw AttachmentError(errno: error.number, at: path)
        }
    }

    /// Renames a file without replacing another one. False: the new name is taken, or the file does not exist.
    func moveToFreeName(_ name: String, to new: String) throws(AttachmentError) -> Bool {
        let number = Renaming.system.moveToFreeName(from: name, to: new, in: raw)
        switch number {
        case 0: return true
        case EEXIST, ENOENT: return false
        case _: throw AttachmentError(errno: number, at: path + "/" + new)
        }
    }

    func unlink(_ name: String) { _ = unlinkat(raw, name, 0) }

    /// Makes renames durable, where the file system supports it.
    func sync() throws(AttachmentError) {
        do throws(FileFailure) {
            try Durable.sync(folder: raw)
        } catch {
            throw AttachmentError(errno: error.number, at: path)
        }
    }
}
