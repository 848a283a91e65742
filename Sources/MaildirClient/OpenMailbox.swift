import Glibc
public import Models

/// A mailbox that stays open while all of its messages are listed and read: one reading of its folders, and then one open
/// file a message.
///
/// The names are those of the reading. A file that another program renamed since is searched as ``Maildir`` does it.
public final class OpenMailbox: Sendable {
    public let name: MailboxName
    /// Of its folders, just before they were read.
    public let times: MailboxTimes
    public let extent: Extent
    private let folder: MailboxFolder
    private let names: MailboxNames
    private let keywords: KeywordTable

    /// How much of the mailbox was read.
    public enum Extent: Sendable {
        case everything
        /// Only the messages in `new`: the names in `cur` are those of an earlier reading.
        case new
        /// Nothing changed since an earlier reading.
        case nothing
    }

    /// `noted`: the times at an earlier reading. What did not change since is not read again.
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

    /// Of what was read.
    public var count: Int { names.count }

    public func count(inNew: Bool) -> Int { names.count(isNew: inNew) }

    /// Bytes that change only if a message is added, removed or marked in `new`, or else in `cur`, piece by piece.
    ///
    /// `isWanted`: only of messages whose unique name fulfils it.
    public func forEachPieceOfMarks(
        inNew: Bool, where isWanted: ((String) -> Bool)? = nil, _ body: ([UInt8]) -> Void
    ) {
        names.forEachPiece(isNew: inNew, where: isWanted, body)
        if !inNew { body(keywords.bytes) }
    }

    /// The unique names of what was read, in their order.
    public var uniqueNames: [String] { (0..<names.count).map { names.file($0).name.unique } }

    /// The message at that place; nil if it is gone.
    public func entry(_ index: Int) throws(MaildirError) -> MaildirEntry? {
        try folder.entryNow(names.file(index), keywords: keywords)
    }

    /// The messages at these places, sorted by unique name. One that is gone is left out.
    public func entries(_ range: Range<Int>) throws(MaildirError) -> [MaildirEntry] {
        var entries: [MaildirEntry] = []
        entries.reserveCapacity(range.count)
        for index in range {
            if let entry = try entry(index) { entries.append(entry) }
        }
        return entries
    }

    /// The first `limit` bytes of a message as they are on disk, its size, and when it arrived: the time of its file.
    public func read(unique: String, limit: Int) throws(MaildirError) -> MessageBytes {
        var file = names.find(stem: MaildirFileName(Array(unique.utf8)).stem)
        for _ in 0..<Maildir.attempts {
            if let file, let found = try folder.read(file, limit: limit) { return found }
            file = try folder.file(unique: unique)
            if file == nil { break }
        }
        throw .gone(unique: unique)
    }

    /// What was read of a message.
    public struct MessageBytes: Sendable {
        public var bytes: [UInt8]
        /// Of the whole file.
        public var size: Int
        public var received: Timestamp
    }
}

extension Maildir {
    /// The mailbox as it is now, open for many readings.
    ///
    /// `noted`: the times at an earlier reading; what did not change since is not read again. `now`: nil is the system's clock.
    public func opened(
        _ mailbox: MailboxName, noted: MailboxTimes? = nil, at now: Int? = nil
    ) throws(MaildirError) -> OpenMailbox {
        try OpenMailbox(try open(mailbox), noted: noted, at: now ?? time(nil))
    }
}

extension MailboxFolder {
    /// nil: no file has this name any longer.
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
