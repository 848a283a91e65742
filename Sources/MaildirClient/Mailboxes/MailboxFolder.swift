import Glibc
import Models

/// The open folder of one mailbox. It finds message files even if their flags change meanwhile.
///
/// Other programs rename files at any time. Reading a folder may miss a file that is renamed meanwhile, so a reading
/// counts only if the folder did not change during it.
struct MailboxFolder: ~Copyable {
    let mailbox: MailboxName
    let path: BytePath
    let base: Descriptor
    let cur: Descriptor
    /// nil: some hand-made Maildirs have no `new`; it counts as empty.
    let new: Descriptor?
    let hints: NameHints

    /// nil: the folder is not a mailbox.
    static func open(
        _ mailbox: MailboxName, in root: borrowing MaildirRoot, hints: NameHints
    ) throws(MaildirError) -> MailboxFolder? {
        var path = root.path
        guard var base = try root.folder.folder([UInt8(ascii: ".")], path: path) else { return nil }
        for name in root.layout.folders(of: mailbox) {
            path = path.appending(name)
            guard let next = try base.folder(name, path: path) else { return nil }
            base = next
        }
        guard let cur = try base.folder(Array("cur".utf8), path: path.appending("cur")) else { return nil }
        let new = try base.folder(Array("new".utf8), path: path.appending("new"))
        return MailboxFolder(
            mailbox: mailbox, path: path, base: base, cur: cur, new: new, hints: hints)
    }

    var isComplete: Bool {
        switch new {
        case .some: base.status(Array("tmp".utf8)).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
        case .none: false
        }
    }

    func path(of file: MessageFile) -> BytePath {
        path.appending(file.isNew ? "new" : "cur").appending(file.raw)
    }

    /// Waits until every name in the mailbox is on disk as it is now.
    func makeDurable() throws(MaildirError) {
        try cur.makeDurable(path.appending("cur"))
        switch new {
        case .some(let new): try new.makeDurable(path.appending("new"))
        case .none: break
        }
    }

    // MARK: Reading

    static let maximumReadings = 4

    /// Every message file, sorted by name.
    func files() throws(MaildirError) -> [MessageFile] {
        var all: [[UInt8]: MessageFile] = [:]
        for _ in 0..<Self.maximumReadings {
            let before = version()
            let reading = try read()
            if before.isSettled, version() == before {
                all = reading
                break
            }
            all.merge(reading) { _, later in later }
        }
        return all.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
    }

    /// The names of every message file, for a mailbox that is read whole; or only of those in `new`.
    func names(onlyNew: Bool = false) throws(MaildirError) -> MailboxNames {
        var all = MailboxNames()
        for _ in 0..<Self.maximumReadings {
            let before = version()
            var reading = MailboxNames()
            switch new {
            case .some(let new): try Self.collect(new, isNew: true, path.appending("new"), into: &reading)
            case .none: break
            }
            if !onlyNew { try Self.collect(cur, isNew: false, path.appending("cur"), into: &reading) }
            if before.isSettled, version() == before {
                all = reading
                break
            }
            all.add(reading)
        }
        all.settle()
        return all
    }

    private static func collect(
        _ folder: borrowing Descriptor, isNew: Bool, _ path: BytePath, into names: inout MailboxNames
    ) throws(MaildirError) {
        let descriptor = folder.raw
        try folder.forEachName(hidden: false, path: path) { bytes, type in
            if type == UInt8(DT_UNKNOWN) {
                guard Descriptor.isFile(Array(bytes), in: descriptor) else { return }
            } else if type != UInt8(DT_REG) {
                return
            }
            names.add(bytes, isNew: isNew)
        }
    }

    /// `new` before `cur`: a file that another program takes notice of in between is then seen twice, not never.
    private func read() throws(MaildirError) -> [[UInt8]: MessageFile] {
        var found: [[UInt8]: MessageFile] = [:]
        switch new {
        case .some(let new): try Self.collect(new, isNew: true, path.appending("new"), into: &found)
        case .none: break
        }
        try Self.collect(cur, isNew: false, path.appending("cur"), into: &found)
        hints.learn(found.values, in: mailbox)
        return found
    }

    private static func collect(
        _ folder: borrowing Descriptor, isNew: Bool, _ path: BytePath,
        into found: inout [[UInt8]: MessageFile]
    ) throws(MaildirError) {
        for name in try folder.names(hidden: false, path: path) {
            if name.type != UInt8(DT_REG) {
                guard name.type == UInt8(DT_UNKNOWN), let status = folder.status(name.bytes),
                    status.st_mode & S_IFMT == S_IFREG
                else { continue }
            }
            found[MaildirFileName(name.bytes).stem] = MessageFile(raw: name.bytes, isNew: isNew)
        }
    }

    /// The times at which the two folders last changed, and the time now, all by the clock that file systems use: on a
    /// busy machine the precise one may be far ahead of it.
    private struct Version: Equatable {
        var cur: Int64
        var new: Int64
        var now: Int64

        /// Clocks of file systems tick every few milliseconds: a change this young may have a twin.
        var isSettled: Bool { now - max(cur, new) > 20_000_000 }

        static func == (a: Self, b: Self) -> Bool { a.cur == b.cur && a.new == b.new }
    }

    private func version() -> Version {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &now)
        let newStatus: stat? =
            switch new {
            case .some(let new): new.status()
            case .none: nil
            }
        return Version(
            cur: cur.status()?.st_mtim.nanoseconds ?? 0, new: newStatus?.st_mtim.nanoseconds ?? 0,
            now: now.nanoseconds)
    }

    // MARK: Finding one

    /// The letters that are tried before a folder is read: all combinations of the five flags and `P`.
    private static let commonLetters: [[UInt8]] = (0..<64).map { bits in
        zip(0..<6, Array("DFPRST".utf8)).filter { bits & (1 << $0.0) != 0 }.map(\.1)
    }

    func file(unique: String) throws(MaildirError) -> MessageFile? {
        let wanted = MaildirFileName(Array(unique.utf8)).stem
        let unique = String(decoding: wanted, as: UTF8.self)
        if let file = probe(unique) { return file }
        for _ in 0..<Self.maximumReadings {
            let before = version()
            let reading = try read()
            // The second look is for a name that is not UTF-8 and was repaired for the listing.
            if let file = reading[wanted] ?? reading.values.first(where: { $0.name.unique == unique }) {
                return file
            }
            if before.isSettled, version() == before { return nil }
        }
        return nil
    }

    /// Asks for the likely names: far cheaper than reading a large folder, and no proof of absence.
    func probe(_ unique: String) -> MessageFile? {
        guard MaildirFileName.isValid(unique: unique) else { return nil }
        if let uid = hints.uid(of: unique, in: mailbox),
            let file = probe(base: Array("\(unique),U=\(uid)".utf8))
        {
            return file
        }
        return probe(base: Array(unique.utf8))
    }

    private func probe(base: [UInt8]) -> MessageFile? {
        for letters in Self.commonLetters {
            let name = MaildirFileName(base: base, letters: letters).bytes
            if let status = cur.status(name), status.st_mode & S_IFMT == S_IFREG {
                return MessageFile(raw: name, isNew: false)
            }
        }
        switch new {
        case .some(let new):
            // mbsync writes flags, and none, even here.
            for name in [base, MaildirFileName(base: base).bytes] {
                guard let status = new.status(name), status.st_mode & S_IFMT == S_IFREG else { continue }
                return MessageFile(raw: name, isNew: true)
            }
            return nil
        case .none:
            return nil
        }
    }

    func status(of file: MessageFile) -> stat? {
        guard file.isNew else { return cur.status(file.raw) }
        switch new {
        case .some(let new): return new.status(file.raw)
        case .none: return nil
        }
    }

    /// The entry of a file that was read a moment ago: under its new name, when it was renamed since; nil when it is gone.
    func entryNow(_ file: MessageFile, keywords: KeywordTable) throws(MaildirError) -> MaildirEntry? {
        if let entry = entry(file, keywords: keywords) { return entry }
        for _ in 0..<Self.maximumReadings {
            guard let renamed = try self.file(unique: file.name.unique) else { return nil }
            if let entry = entry(renamed, keywords: keywords) { return entry }
        }
        return nil
    }

    /// The entry of a file; nil when no file has this name any longer.
    func entry(_ file: MessageFile, keywords: KeywordTable) -> MaildirEntry? {
        let name = file.name
        var size = name.size
        var modified: Timestamp?
        if size == nil {
            guard let status = status(of: file) else { return nil }
            size = Int(status.st_size)
            modified = Timestamp(seconds: Int64(status.st_mtim.tv_sec))
        }
        return MaildirEntry(
            mailbox: mailbox, unique: name.unique, flags: name.flags,
            keywords: keywords.keywords(of: name.letters), size: size ?? 0, modified: modified,
            isNew: file.isNew, folder: path, file: file.raw)
    }
}

extension timespec {
    var nanoseconds: Int64 { Int64(tv_sec) * 1_000_000_000 + Int64(tv_nsec) }
}
