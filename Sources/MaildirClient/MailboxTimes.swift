import Glibc

/// The times of a mailbox's folders, to store: while they stay the same, so do the names in the folders.
///
/// They include the time of the last change of the folder's metadata, which no program can set.
public struct MailboxTimes: Hashable, Sendable {
    /// nil: the folder has just changed, so a later change may have the same time.
    public var cur: String?
    public var new: String?
    public var keywords: String?

    public init(cur: String?, new: String?, keywords: String?) {
        self.cur = cur
        self.new = new
        self.keywords = keywords
    }

    init(of folder: borrowing MailboxFolder, at now: Int) {
        cur = Self.text(folder.cur.status(), now)
        new =
            switch folder.new {
            case .some(let new): Self.text(new.status(), now)
            case .none: Self.missing
            }
        keywords = KeywordFile.status(in: folder).map { Self.text($0, now) } ?? Self.missing
    }

    private static let missing = "0"

    private static func text(_ status: stat?, _ now: Int) -> String? {
        guard let status else { return nil }
        let part = MaildirShape.Part(status)
        guard max(part.modified[0], part.modified[2]) + MaildirShape.grain <= now else { return nil }
        return ([String(part.inode)] + part.modified.map { String($0) }).joined(separator: ".")
    }

    /// What must be read of a mailbox that has these times now, and had the noted ones at an earlier reading.
    func unread(since noted: MailboxTimes?) -> OpenMailbox.Extent {
        guard let noted, Self.isSame(cur, noted.cur), Self.isSame(keywords, noted.keywords) else {
            return .everything
        }
        return Self.isSame(new, noted.new) ? .nothing : .new
    }

    private static func isSame(_ now: String?, _ noted: String?) -> Bool { now != nil && now == noted }
}
