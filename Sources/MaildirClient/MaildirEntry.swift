public import Models

/// One message file in a listing.
public struct MaildirEntry: Hashable, Sendable {
    public var mailbox: MailboxName
    /// The constant part of the name: up to `:`, without mbsync's `,U=7`. It identifies the message across moves.
    public var unique: String
    public var flags: Set<Flag>
    public var keywords: Set<Keyword>
    /// The size in bytes: from the name if it has `S=`, otherwise from the file system.
    public var size: Int
    /// The time of the file, which is the arrival of the message; nil: the listing did not read it (see
    /// ``Maildir/received(_:)``).
    public var modified: Timestamp?
    /// Whether it is in `new`: no program has processed it yet.
    public var isNew: Bool
    /// The folder of the mailbox, and the name of the file.
    let folder: BytePath
    let file: [UInt8]

    /// The path for people; bytes that are not UTF-8 are replaced. It is computed when needed, because most entries are
    /// only compared.
    public var path: String { folder.appending(isNew ? "new" : "cur").appending(file).description }
}
