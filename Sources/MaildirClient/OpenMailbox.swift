import Glibc
public import Models

/// A mailbox that stays open while its messages are listed and read: its folders are read once, and each message is
/// opened once.
///
/// The names are those of that reading. If another program has renamed a file since, it is searched as in ``Maildir``.
public final class OpenMailbox: Sendable {
    public let name: MailboxName
    /// The times of its folders, just before they were read.
    public let times: MailboxTimes
    public let extent: Extent
    private let folder: MailboxFolder
    private let names: MailboxNames
    private let keywords: KeywordTable

    /// How much of the mailbox was read.
    public enum Extent: Sendable {
        case everything
        /// Only the messages in `new`; the names in `cur` have not changed since an earlier reading.
        case new
        /// Nothing has changed since an earlier reading.
        case nothing
    }

    /// `noted`: the times at an earlier reading. Folders that have not changed since are not read again.
    init(
        _ folder: consuming MailboxFolder, noted: MailboxTimes?, at now: Int
    ) throws(MaildirError) {
        name = folder.mailbox
        times = MailboxTimes(of: folder, at: now)
        extent = times.unread(since: noted)
        keywords = try KeywordFile.read(folder)
        names =
            switch extent {
            case .everything: try folder.names()
            case .new: try folder.names(onlyNew: true)
            case .nothing: MailboxNames()
            }
        self.folder = folder
    }

    /// The number of messages read.
    public var count: Int { names.count }

    public func count(inNew: Bool) -> Int { names.count(isNew: inNew) }

    /// Bytes, in pieces, that change only if a message is added, removed or marked in one folder.
    ///
    /// `inNew`: the folder is `new`, otherwise `cur`. `isWanted`: selects messages by their unique name.
    public func forEachPieceOfMarks(
        inNew: Bool, where isWanted: ((String) -> Bool)? = nil, _ body: ([UInt8]) -> Void
    ) {
        names.forEachPiece(isNew: inNew, where: isWanted, body)
        if !inNew { body(keywords.bytes) }
    }

    /// The unique names of the messages read, in their order.
    public var uniqueNames: [String] { (0..<names.count).map { names.file($0).name.unique } }

    /// The message at this index; nil: it is gone.
    public func entry(_ index: Int) throws(MaildirError) -> MaildirEntry? {
        try folder.entryNow(names.file(index), keywords: keywords)
    }

    /// The messages at these indexes, sorted by unique name, without those that are gone.
    public func entries(_ range: Range<Int>) throws(MaildirError) -> [MaildirEntry] {
        var entries: [MaildirEntry] = []
        entries.reserveCapacity(range.count)
        for index in range {
            if let entry = try entry(index) { entries.append(entry) }
        }
        return entries
    }

    /// The first `limit` bytes of a message on disk, its size, and its arrival.
    public func read(unique: String, limit: Int) throws(MaildirError) -> MessageBytes {
        var file = names.find(stem: MaildirFileName(Array(unique.utf8)).stem)
        for _ in 0..<Maildir.attempts {
            if let file, let found = try folder.read(file, limit: limit) { return found }
            file = try folder.file(unique: unique)
            if file == nil { break }
        }
        throw .gone(unique: unique)
    }

    /// The beginning of a message, with its size and arrival.
    public struct MessageBytes: Sendable {
        public var bytes: [UInt8]
        /// The size of the whole file.
        public var size: Int
        public var received: Timestamp
    }
}

extension Maildir {
    /// Opens the mailbox in its current state, for many readings.
    ///
    /// `noted`: the times at an earlier reading; folders that have not changed since are not read again. `now`: nil
    /// means the system's clock.
    public func opened(
        _ mailbox: MailboxName, noted: MailboxTimes? = nil, at now: Int? = nil
    ) throws(MaildirError) -> OpenMailbox {
        try OpenMailbox(try open(mailbox), noted: noted, at: now ?? time(nil))
    }
}

extension MailboxFolder {
    /// nil: the file was removed or renamed.
    fileprivate func read(
        _ file: MessageFile, limit: Int
    ) throws(MaildirError) -> OpenMailbox.MessageBytes? {
        if file.isNew {
            switch new {
            case .some(let new): return try Self.read(file, in: new, path.appending("new"), limit)
            case .none: return nil
            }
        }
        return try Self.read(file, in: cur, path.appending("cur"), limit)
    }

    private static func read(
        _ file: MessageFile, in folder: borrowing Descriptor, _ path: BytePath, _ limit: Int
    ) throws(MaildirError) -> OpenMailbox.MessageBytes? {
        guard let open = try folder.file(file.raw, path: path) else { return nil }
        let (bytes, status) = try FileBytes.readWithStatus(open, limit: limit, path: path)
        return OpenMailbox.MessageBytes(
            bytes: bytes, size: Int(status.st_size),
            received: Timestamp(seconds: Int64(status.st_mtim.tv_sec)))
    }
}
