import Glibc
public import Models

extension Maildir {
    /// Returns when all renames in these mailboxes are on disk: first the folders that received files, last those that
    /// lost them. Before that, a power failure may undo a rename, or lose a file between two folders.
    ///
    /// A missing mailbox is skipped, because opus cannot restore its messages.
    public func makeDurable(_ mailboxes: [MailboxName]) throws(MaildirError) {
        for mailbox in mailboxes {
            do throws(MaildirError) {
                try open(mailbox).makeDurable()
            } catch {
                guard case .noSuchMailbox = error else { throw error }
            }
        }
    }

    /// Adds and removes marks by renaming the file into `cur`. If nothing changes, nothing is written.
    ///
    /// The caller must call ``makeDurable(_:)``.
    public func setFlags(
        _ mailbox: MailboxName, unique: String, add: Set<Flag> = [], remove: Set<Flag> = [],
        addKeywords: Set<Keyword> = [], removeKeywords: Set<Keyword> = []
    ) throws(MaildirError) -> MaildirEntry {
        try require(.mark)
        let folder = try open(mailbox)
        guard try folder.file(unique: unique) != nil else { throw .gone(unique: unique) }
        let table = try KeywordFile.growing(addKeywords, in: folder)
        let adding =
            add.map { MaildirFileName.letter(of: $0) } + addKeywords.compactMap { table.letter(of: $0) }
        let removing =
            remove.map { MaildirFileName.letter(of: $0) } + removeKeywords.compactMap { table.letter(of: $0) }
        for _ in 0..<Self.attempts {
            guard let file = try folder.file(unique: unique) else { break }
            var name = file.name
            let letters = Set(name.letters).subtracting(removing).union(adding)
            if letters == Set(name.letters) {
                if let entry = folder.entry(file, keywords: table) { return entry }
                continue
            }
            name.letters = letters.sorted()
            let renamed = MessageFile(raw: name.bytes, isNew: false)
            switch try SafeRename.rename(folder.path(of: file), to: folder.path(of: renamed)) {
            case .done:
                if let entry = folder.entry(renamed, keywords: table) { return entry }
            case .missing:
                continue
            case .taken:
                throw .alreadyExists(unique: unique, mailbox)
            }
        }
        throw .gone(unique: unique)
    }

    /// Moves a message and keeps its unique name and its marks. Does nothing if it is already there.
    ///
    /// The caller must call ``makeDurable(_:)`` with both mailboxes.
    public func move(
        unique: String, from source: MailboxName, to destination: MailboxName, create: Bool = true
    ) throws(MaildirError) -> MaildirEntry {
        try require(.move)
        if create, source != destination { try self.create(destination) }
        let from = try open(source)
        let to = try open(destination)
        for _ in 0..<Self.attempts {
            guard source != destination, let file = try from.file(unique: unique) else {
                guard let there = try to.file(unique: unique),
                    let entry = to.entry(there, keywords: try KeywordFile.read(to))
                else { break }
                return entry
            }
            if let there = to.probe(unique) {
                guard try Self.finishesMove(file, in: from, there, in: to) else {
                    throw .alreadyExists(unique: unique, destination)
                }
            } else if let entry = try Self.rename(file, in: from, into: to) {
                return entry
            }
        }
        throw .gone(unique: unique)
    }

    /// nil: another program renamed the file first.
    private static func rename(
        _ file: MessageFile, in from: borrowing MailboxFolder, into to: borrowing MailboxFolder
    ) throws(MaildirError) -> MaildirEntry? {
        let (letters, table) = try translate(file.name.letters, from: from, to: to)
        // mbsync would read a UID of another folder as one of this folder, and then find it twice or beyond the last
        // one.
        let moved = MessageFile(raw: file.name.leaving(with: letters).bytes, isNew: false)
        switch try SafeRename.rename(from.path(of: file), to: to.path(of: moved)) {
        case .done: return to.entry(moved, keywords: table)
        case .missing, .taken: return nil
        }
    }

    /// Removes a message for good. A missing message is not an error. The caller must call ``makeDurable(_:)``.
    public func remove(_ mailbox: MailboxName, unique: String) throws(MaildirError) {
        try require(.delete)
        let folder = try open(mailbox)
        for _ in 0..<Self.attempts {
            guard let file = try folder.file(unique: unique) else { return }
            let path = folder.path(of: file)
            if unlink(path.cString) == 0 { return }
            guard errno == ENOENT else { throw .system(errno, path) }
        }
    }

    /// The same file under both names is a move that a crash interrupted. Removes the old name.
    private static func finishesMove(
        _ old: MessageFile, in from: borrowing MailboxFolder, _ new: MessageFile,
        in to: borrowing MailboxFolder
    ) throws(MaildirError) -> Bool {
        guard let a = from.status(of: old), let b = to.status(of: new) else { return true }
        guard a.st_ino == b.st_ino, a.st_dev == b.st_dev else { return false }
        let path = from.path(of: old)
        guard unlink(path.cString) == 0 || errno == ENOENT else { throw .system(errno, path) }
        return true
    }

    /// The letter of a keyword may differ in another mailbox. Letters without a meaning stay.
    private static func translate(
        _ letters: [UInt8], from: borrowing MailboxFolder, to: borrowing MailboxFolder
    ) throws(MaildirError) -> ([UInt8], KeywordTable) {
        let isKeyword = { (letter: UInt8) in letter >= UInt8(ascii: "a") && letter <= UInt8(ascii: "z") }
        let old = try KeywordFile.read(from)
        let table = try KeywordFile.growing(old.keywords(of: letters), in: to)
        let translated = letters.compactMap { letter -> UInt8? in
            guard isKeyword(letter) else { return letter }
            if let keyword = old.keyword(of: letter) { return table.letter(of: keyword) }
            return table.keyword(of: letter) == nil ? letter : nil
        }
        return (translated, table)
    }

    /// Adds a message to the mailbox with a name that the caller chose, so that repeating it after a crash changes
    /// nothing. Creates the mailbox if it is missing. The bytes stay unchanged and are on disk when the call returns.
    public func addMessage(
        to mailbox: MailboxName, message: [UInt8], flags: Set<Flag> = [], unique: String, received: Timestamp
    ) throws(MaildirError) -> MaildirEntry {
        try require(.draft)
        guard MaildirFileName.isValid(unique: unique) else { throw .invalidName(unique) }
        try create(mailbox)
        let folder = try open(mailbox)
        let table = try KeywordFile.read(folder)
        if let file = try folder.file(unique: unique), let entry = folder.entry(file, keywords: table) {
            return entry
        }
        let temporary = folder.path.appending("tmp")
        guard let tmp = try folder.base.folder(Array("tmp".utf8), path: temporary) else {
            throw .system(ENOENT, temporary)
        }
        let base = Array(unique.utf8)
        try FileBytes.write(
            message, to: base, in: tmp, mode: 0o600, modified: received, path: temporary.appending(base))
        let letters = flags.map { MaildirFileName.letter(of: $0) }
        let file = MessageFile(
            raw: flags.isEmpty ? base : MaildirFileName(base: base, letters: letters).bytes,
            isNew: flags.isEmpty)
        return try Self.moveIn(temporary.appending(base), as: file, in: folder, table)
    }

    private static func moveIn(
        _ temporary: BytePath, as file: MessageFile, in folder: borrowing MailboxFolder,
        _ table: KeywordTable
    ) throws(MaildirError) -> MaildirEntry {
        let path = folder.path(of: file)
        switch try SafeRename.rename(temporary, to: path) {
        case .done:
            try folder.makeDurable()
        case .taken:
            _ = unlink(temporary.cString)
        case .missing:
            throw .system(ENOENT, temporary)
        }
        if let entry = folder.entry(file, keywords: table) { return entry }
        // A program that watches `new` may have taken it already.
        guard let again = try folder.file(unique: file.name.unique),
            let entry = folder.entry(again, keywords: table)
        else { throw .gone(unique: file.name.unique) }
        return entry
    }
}
