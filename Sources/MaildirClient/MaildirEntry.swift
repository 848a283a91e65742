public import Models

/// One message file as a listing found it.
public struct MaildirEntry: Hashable, Sendable {
    public var mailbox: MailboxName
    /// The part of the name that never changes: up to `:`, without mbsync's `,U=7`. It names the message across moves.
    public var unique: String
    public var flags: Set<Flag>
    public var keywords: Set<Keyword>
    /// Bytes in the file: from the name when it says so (`S=`), else from the file system.
    public var size: Int
    /// The file's time, which is the message's arrival; nil when the listing had no need to ask
    /// (see ``Maildir/received(_:)``).
    public var modified: Timestamp?
    /// Still in `new`: no program has taken notice of it.
    public var isNew: Bool
    /// The mailbox's own folder, and the name of the file.
    let folder: BytePath
    let file: [UInt8]

    /// For people: repaired where the name is not UTF-8. Made when it is needed, because most entries of a listing are only
    /// compared.
    public var path: String { folder.appending(isNew ? "new" : "cur").appending(file).description }
}
