import Glibc
import Models

/// Dovecot's `dovecot-keywords`: which letter in a file name means which keyword, in this mailbox only.
///
/// A line is `0 $Forwarded`; 0 is `a`, 25 is `z`. Letters are never given a new meaning, because files
/// carry them; so a table only grows. Dovecot guards the file with `dovecot-uidlist.lock`, and so do we.
struct KeywordTable: Hashable, Sendable {
    private(set) var names: [Int: Keyword] = [:]

    static let fileName = "dovecot-keywords"
    static let lockName = "dovecot-uidlist.lock"
    static let maximum = 26
    static let maximumBytes = 65_536

    init() {}

    init(_ text: [UInt8]) {
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 1)
            guard parts.count == 2, let index = Int(String(decoding: parts[0], as: UTF8.self)),
                (0..<Self.maximum).contains(index)
            else { continue }
            let name = String(decoding: parts[1], as: UTF8.self)
            if Keyword.isValid(name) { names[index] = Keyword(name) }
        }
    }

    var bytes: [UInt8] {
        names.sorted { $0.key < $1.key }.flatMap { Array("\($0.key) \($0.value.rawValue)\n".utf8) }
    }

    func letter(of keyword: Keyword) -> UInt8? {
        names.first { $0.value == keyword }.map { UInt8(ascii: "a") + UInt8($0.key) }
    }

    func keyword(of letter: UInt8) -> Keyword? {
        guard letter >= UInt8(ascii: "a"), letter <= UInt8(ascii: "z") else { return nil }
        return names[Int(letter - UInt8(ascii: "a"))]
    }

    func keywords(of letters: [UInt8]) -> Set<Keyword> { Set(letters.compactMap { keyword(of: $0) }) }

    /// Gives the keyword the lowest free letter; false when there is none.
    mutating func add(_ keyword: Keyword) -> Bool {
        if letter(of: keyword) != nil { return true }
        guard let free = (0..<Self.maximum).first(where: { names[$0] == nil }) else { return false }
        names[free] = keyword
        return true
    }

    // MARK: The file

    /// An empty table when there is no file.
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

    /// The table with all of these keywords in it, on disk when it had to grow.
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
        // Read again: it may have grown before the lock was ours.
        var table = try read(folder)
        for keyword in keywords.sorted() {
            guard table.add(keyword) else { throw .tooManyKeywords(folder.mailbox) }
        }
        try table.write(folder)
        return table
    }

    private func write(_ folder: borrowing MailboxFolder) throws(MaildirError) {
        let temporary = Self.fileName + ".opus.tmp"
        let path = folder.path.appending(temporary)
        let before = folder.base.status(Array(Self.fileName.utf8))
        let mode = before.map { $0.st_mode & 0o666 } ?? 0o600
        try FileBytes.write(
            bytes, to: Array(temporary.utf8), in: folder.base, mode: mode, modified: nil, path: path)
        guard renameat(folder.base.raw, temporary, folder.base.raw, Self.fileName) == 0 else {
            throw .system(errno, path)
        }
        _ = fsync(folder.base.raw)
    }
}
