import Files
import Glibc
import Models

/// The file of a mailbox's ``KeywordTable``. Dovecot and opus protect it with `dovecot-uidlist.lock`.
enum KeywordFile {
    private static let fileName = "dovecot-keywords"
    private static let lockName = "dovecot-uidlist.lock"
    private static let maximumBytes = 65_536

    /// An empty table if there is no file.
    static func read(_ folder: borrowing MailboxFolder) throws(MaildirError) -> KeywordTable {
        let path = folder.path.appending(fileName)
        let raw = openat(folder.base.raw, fileName, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard raw >= 0 else {
            let number = errno
            if number == ENOENT || number == ELOOP { return KeywordTable() }
            throw .system(number, path)
        }
        let file = Descriptor(raw: raw)
        return KeywordTable(try FileBytes.read(file, limit: maximumBytes, path: path))
    }

    /// nil: the file does not exist.
    static func status(in folder: borrowing MailboxFolder) -> stat? {
        folder.base.status(Array(fileName.utf8))
    }

    /// The table with all of these keywords. If it had to grow, it is on disk.
    ///
    /// Messages may have letters that no table names: other programs give them, and a restored Maildir may lack its table. A
    /// new keyword gets none of these, because all of these messages would have it.
    static func growing(
        _ keywords: Set<Keyword>, in folder: borrowing MailboxFolder
    ) throws(MaildirError) -> KeywordTable {
        for keyword in keywords where !Keyword.isValid(keyword.rawValue) {
            throw .invalidName(keyword.rawValue)
        }
        let found = try read(folder)
        if keywords.allSatisfy({ found.letter(of: $0) != nil }) { return found }
        let lock = try DotLock.take(folder.path.appending(lockName))
        defer { lock.release() }
        // Reads the table again, because it may have grown before the lock was taken.
        var table = try read(folder)
        if let status = status(in: folder), status.st_mode & S_IFMT == S_IFLNK {
            throw .linkedKeywords(path: folder.path.appending(fileName).description)
        }
        let used = Set(try folder.files().flatMap(\.name.letters))
        for keyword in keywords.sorted() {
            guard table.add(keyword, besides: used) else { throw .tooManyKeywords(folder.mailbox) }
        }
        try write(table, folder)
        return table
    }

    private static func write(
        _ table: KeywordTable, _ folder: borrowing MailboxFolder
    ) throws(MaildirError) {
        let temporary = fileName + ".opus.tmp"
        let path = folder.path.appending(temporary)
        let before = folder.base.status(Array(fileName.utf8))
        let mode = before.map { $0.st_mode & 0o666 } ?? 0o600
        do throws(FileFailure) {
            try ReplacedFile.write(
                table.bytes, to: fileName, through: temporary, in: folder.base.raw, mode: mode)
        } catch {
            throw .system(error.number, path)
        }
        _ = fsync(folder.base.raw)
    }
}
