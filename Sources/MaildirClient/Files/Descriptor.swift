import Files
import Glibc

/// An open file or folder, closed when its owner releases it.
///
/// Everything below the root of the Maildir is opened relative to a descriptor and without following symbolic links, so
/// that no name leads out of it.
struct Descriptor: ~Copyable {
    let raw: Int32

    deinit { _ = Glibc.close(raw) }

    /// Opens the root, which the user may have replaced by a link.
    static func openRoot(_ path: BytePath) throws(MaildirError) -> Descriptor {
        let raw = Glibc.open(path.cString, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard raw >= 0 else {
            let number = errno
            if number == ENOENT || number == ENOTDIR { throw .missingRoot(path: path.description) }
            throw .system(number, path)
        }
        return Descriptor(raw: raw)
    }

    /// nil: the folder does not exist, or the name belongs to something else.
    func folder(_ name: [UInt8], path: BytePath) throws(MaildirError) -> Descriptor? {
        let raw = Glibc.openat(self.raw, name.cString, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard raw >= 0 else {
            let number = errno
            if number == ENOENT || number == ENOTDIR || number == ELOOP { return nil }
            throw .system(number, path)
        }
        return Descriptor(raw: raw)
    }

    /// A file to read; nil: it does not exist. A link is an error, and opening a pipe does not block.
    func file(_ name: [UInt8], path: BytePath) throws(MaildirError) -> Descriptor? {
        let raw = Glibc.openat(
            self.raw, name.cString, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard raw >= 0 else {
            let number = errno
            if number == ENOENT { return nil }
            throw .system(number, path.appending(name))
        }
        return Descriptor(raw: raw)
    }

    /// The metadata of a name; nil: it is gone.
    func status(_ name: [UInt8]) -> stat? {
        var status = stat()
        guard fstatat(raw, name.cString, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        return status
    }

    /// Whether the name belongs to a regular file, if the file system did not report the kind.
    static func isFile(_ name: [UInt8], in folder: Int32) -> Bool {
        var status = stat()
        return fstatat(folder, name.cString, &status, AT_SYMLINK_NOFOLLOW) == 0
            && status.st_mode & S_IFMT == S_IFREG
    }

    /// Waits until the names in this folder are on disk.
    func makeDurable(_ path: BytePath) throws(MaildirError) {
        do throws(FileFailure) {
            try Durable.sync(folder: raw)
        } catch {
            throw .system(error.number, path)
        }
    }

    func status() -> stat? {
        var status = stat()
        guard fstat(raw, &status) == 0 else { return nil }
        return status
    }

    /// A name in a folder, with the kind that the file system reports (`DT_UNKNOWN` on some).
    struct Name {
        let bytes: [UInt8]
        let type: UInt8
    }

    static let maximumNames = 1_000_000

    /// The names in this folder, unsorted; without those that begin with a dot, unless `hidden`.
    func names(hidden: Bool, path: BytePath) throws(MaildirError) -> [Name] {
        var found: [Name] = []
        try forEachName(hidden: hidden, path: path) { bytes, type in
            found.append(Name(bytes: Array(bytes), type: type))
        }
        return found
    }

    /// The same, name by name, without copies. The bytes are valid only during the call.
    func forEachName(
        hidden: Bool, path: BytePath,
        _ body: (UnsafeRawBufferPointer, _ type: UInt8) throws(MaildirError) -> Void
    ) throws(MaildirError) {
        // A new description, because the offset of this one may be anywhere.
        let fresh = Glibc.openat(raw, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard fresh >= 0 else { throw .system(errno, path) }
        guard let stream = fdopendir(fresh) else {
            let number = errno
            _ = Glibc.close(fresh)
            throw .system(number, path)
        }
        defer { _ = closedir(stream) }
        guard let offset = MemoryLayout<dirent>.offset(of: \dirent.d_name) else {
            throw .system(EINVAL, path)
        }
        let dot = UInt8(ascii: ".")
        var count = 0
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                if errno != 0 { throw .system(errno, path) }
                return
            }
            // The record may be shorter than the C struct: only the name's own bytes are touched.
            let start = UnsafeRawPointer(entry) + offset
            let length = strlen(start.assumingMemoryBound(to: CChar.self))
            let name = UnsafeRawBufferPointer(start: start, count: length)
            let isItselfOrAbove = name.elementsEqual([dot]) || name.elementsEqual([dot, dot])
            guard name.first != dot || (hidden && !isItselfOrAbove) else { continue }
            guard count < Self.maximumNames else {
                throw .tooManyFiles(path: path.description, maximum: Self.maximumNames)
            }
            count += 1
            try body(name, entry.pointee.d_type)
        }
    }
}
