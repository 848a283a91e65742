import Glibc
public import Models

extension Maildir {
    /// Every message of the mailbox, sorted by unique name.
    public func list(_ mailbox: MailboxName) throws(MaildirError) -> [MaildirEntry] {
        let folder = try open(mailbox)
        let keywords = try KeywordFile.read(folder)
        var entries: [MaildirEntry] = []
        for file in try folder.files() {
            if let entry = try folder.entryNow(file, keywords: keywords) { entries.append(entry) }
        }
        return entries
    }

    /// The first `limit` bytes of a message on disk; line ends may be LF or CRLF.
    public func read(
        _ mailbox: MailboxName, unique: String, limit: Int
    ) throws(MaildirError) -> [UInt8] {
        let folder = try open(mailbox)
        for _ in 0..<Self.attempts {
            guard let file = try folder.file(unique: unique) else { break }
            let path = folder.path(of: file)
            let raw = Glibc.open(path.cString, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard raw >= 0 else {
                let number = errno
                if number == ENOENT { continue }
                throw .system(number, path)
            }
            let descriptor = Descriptor(raw: raw)
            return try FileBytes.read(descriptor, limit: limit, path: path)
        }
        throw .gone(unique: unique)
    }

    /// The arrival of the message, which is the time of its file.
    public func received(_ entry: MaildirEntry) throws(MaildirError) -> Timestamp {
        if let modified = entry.modified { return modified }
        let folder = try open(entry.mailbox)
        for _ in 0..<Self.attempts {
            guard let file = try folder.file(unique: entry.unique) else { break }
            if let status = folder.status(of: file) {
                return Timestamp(seconds: Int64(status.st_mtim.tv_sec))
            }
        }
        throw .gone(unique: entry.unique)
    }

    /// The mailbox that has the message now; nil: none.
    public func locate(unique: String) throws(MaildirError) -> (MailboxName, MaildirEntry)? {
        let names = try mailboxes().map(\.name)
        // The second round finds a message that moved to a mailbox that was already read.
        for round in 0..<3 {
            for name in names {
                let folder = try open(name)
                let file = round == 0 ? folder.probe(unique) : try folder.file(unique: unique)
                if let file, let entry = folder.entry(file, keywords: try KeywordFile.read(folder)) {
                    return (name, entry)
                }
            }
        }
        return nil
    }

    /// How often to search a file again after another program renamed it.
    static let attempts = 3
}
