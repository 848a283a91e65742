import Files
import Glibc

/// The system calls of the task folder, with errors as data.
enum SystemCall {
    /// The state of a file according to `stat`.
    struct Version: Equatable, Sendable {
        var size: Int
        var modifiedNanoseconds: Int64
        var inode: UInt64
        var mode: UInt32
        var user: UInt32
        var group: UInt32

        var kind: UInt32 { mode & UInt32(S_IFMT) }
        var isRegular: Bool { kind == UInt32(S_IFREG) }
        var isFolder: Bool { kind == UInt32(S_IFDIR) }
        var isLink: Bool { kind == UInt32(S_IFLNK) }

        init(_ status: stat) {
            size = Int(status.st_size)
            modifiedNanoseconds = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
            inode = UInt64(status.st_ino)
            mode = status.st_mode
            user = status.st_uid
            group = status.st_gid
        }
    }

    static func error(_ number: Int32, path: String) -> TaskStoreError {
        switch number {
        case ENOSPC, EDQUOT: .noSpace(path: path)
        case EROFS: .readOnly(path: path)
        case EACCES, EPERM: .permission(path: path)
        case _: .io(errno: number, path: path)
        }
    }

    static func text(of number: Int32) -> String {
        strerror(number).map { String(cString: $0).lowercased() } ?? "error \(number)"
    }

    static func version(_ path: String, followLinks: Bool = false) throws(TaskStoreError) -> Version {
        var status = stat()
        let result = followLinks ? stat(path, &status) : lstat(path, &status)
        guard result == 0 else { throw error(errno, path: path) }
        return Version(status)
    }

    /// The last change of the file, its name or its content (`ctime`, which no program can set back), in seconds.
    static func lastChange(_ path: String) -> Int64? {
        var status = stat()
        return lstat(path, &status) == 0 ? Int64(status.st_ctim.tv_sec) : nil
    }

    static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    struct Name: Sendable {
        var text: String
        /// False: the bytes are not UTF-8 and `text` is a replacement, so no file has this name.
        var isExact: Bool
    }

    /// An entry of a folder. Links are not followed.
    struct Item: Sendable {
        var name: Name
        /// nil: it is already gone, or no file has its name.
        var version: Version?
    }

    /// The wanted names in a folder, sorted.
    static func items(
        in folder: String, where isWanted: (String) -> Bool
    ) throws(TaskStoreError) -> [Item] {
        guard let stream = opendir(folder) else { throw error(errno, path: folder) }
        defer { closedir(stream) }
        var items: [Item] = []
        errno = 0
        while let entry = readdir(stream) {
            withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: 256) { text in
                    let exact = String(validatingCString: text)
                    let name = Name(text: exact ?? String(cString: text), isExact: exact != nil)
                    guard name.text != ".", name.text != "..", isWanted(name.text) else { return }
                    var status = stat()
                    let found = fstatat(dirfd(stream), text, &status, AT_SYMLINK_NOFOLLOW) == 0
                    items.append(Item(name: name, version: found ? Version(status) : nil))
                }
            }
            errno = 0
        }
        guard errno == 0 else { throw error(errno, path: folder) }
        return items.sorted { $0.name.text < $1.name.text }
    }

    /// Opens a regular file for reading. It never follows a link and never waits for a FIFO.
    static func read(_ path: String, maximum: Int) throws(TaskStoreError) -> (
        bytes: [UInt8], version: Version
    ) {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw error(errno, path: path) }
        defer { close(descriptor) }
        let version = try version(of: descriptor, path: path)
        guard version.isRegular else { throw error(EINVAL, path: path) }
        var failure: Int32 = 0
        // One more byte than the size, to detect that the file grew.
        let capacity = min(max(version.size, 0), maximum) + 1
        let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            while count < capacity, count != version.size || count == 0 {
                let got = Glibc.read(descriptor, buffer.baseAddress?.advanced(by: count), capacity - count)
                if got < 0, errno == EINTR { continue }
                if got < 0 { failure = errno }
                if got <= 0 { break }
                count += got
            }
        }
        guard failure == 0 else { throw error(failure, path: path) }
        return (bytes, version)
    }

    static func version(of descriptor: Int32, path: String) throws(TaskStoreError) -> Version {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw error(errno, path: path) }
        return Version(status)
    }

    /// Writes a new file. It is on disk before this returns, unless another call syncs it. Only its owner can read it,
    /// or it gets the mode and owner of `like`.
    static func writeNew(
        _ path: String, _ bytes: [UInt8], like: Version? = nil, syncs: Bool = true
    ) throws(TaskStoreError) -> Version {
        do throws(FileFailure) {
            let status = try NewFile.write(bytes, to: path, isDurable: syncs) {
                descriptor throws(FileFailure) in
                guard let like else { return }
                // This may fail, because only root can change the owner.
                _ = fchown(descriptor, like.user, like.group)
                _ = fchmod(descriptor, like.mode & 0o7777)
            }
            return Version(status)
        } catch {
            throw Self.error(error.number, path: path)
        }
    }

    static func remove(_ path: String) { _ = unlink(path) }

    /// Makes a folder for its owner only. Returns whether it is new.
    static func makeFolder(_ path: String) throws(TaskStoreError) -> Bool {
        guard mkdir(path, 0o700) != 0 else { return true }
        guard errno == EEXIST else { throw error(errno, path: path) }
        return false
    }

    static func sync(folder: String) throws(TaskStoreError) {
        do throws(FileFailure) {
            try Durable.sync(folderAt: folder)
        } catch {
            throw Self.error(error.number, path: folder)
        }
    }
}
