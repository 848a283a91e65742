import Glibc

/// A lock file in Dovecot's form: while it exists, a program holds the lock.
struct DotLock {
    private let path: BytePath

    /// After this time, the owner of a lock counts as dead.
    static let staleSeconds = 120
    static let attempts = 100

    static func take(_ path: BytePath) throws(MaildirError) -> DotLock {
        let mine = path.withSuffix(".\(getpid())")
        defer { _ = unlink(mine.cString) }
        try write(to: mine)
        for attempt in 0..<attempts {
            if link(mine.cString, path.cString) == 0 { return DotLock(path: path) }
            let number = errno
            guard number == EEXIST else { throw .system(number, path) }
            if attempt == 0 { removeStale(path) } else { usleep(20_000) }
        }
        throw .locked(path: path.description)
    }

    func release() { _ = unlink(path.cString) }

    /// Writes the owner's name before the lock becomes visible, so that every lock has an owner.
    private static func write(to path: BytePath) throws(MaildirError) {
        _ = unlink(path.cString)
        let raw = open(path.cString, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard raw >= 0 else { throw .system(errno, path) }
        defer { _ = Glibc.close(raw) }
        let name = Array(owner.utf8)
        guard Glibc.write(raw, name, name.count) == name.count else { throw .system(ENOSPC, path) }
    }

    /// `pid:host`, as in Dovecot's locks.
    private static var owner: String { "\(getpid()):\(host)" }

    private static var host: String {
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return "localhost" }
        return String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Removes a lock whose process on this machine is dead, or that is too old.
    private static func removeStale(_ path: BytePath) {
        var status = stat()
        guard lstat(path.cString, &status) == 0 else { return }
        let isOld = time(nil) - status.st_mtim.tv_sec > staleSeconds
        guard isOld || isDead(holder(of: path)) else { return }
        _ = unlink(path.cString)
    }

    private static func isDead(_ process: pid_t?) -> Bool {
        guard let process, process > 0 else { return false }
        return kill(process, 0) != 0 && errno == ESRCH
    }

    /// The process that holds the lock, if it runs on this machine.
    private static func holder(of path: BytePath) -> pid_t? {
        let raw = open(path.cString, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard raw >= 0 else { return nil }
        defer { _ = Glibc.close(raw) }
        var bytes = [UInt8](repeating: 0, count: 300)
        let count = read(raw, &bytes, bytes.count)
        guard count > 0 else { return nil }
        let words = String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: ":", maxSplits: 1)
        guard words.count == 2, words[1].split(whereSeparator: \.isWhitespace).first == host[...] else {
            return nil
        }
        return pid_t(words[0])
    }
}
