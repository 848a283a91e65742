import Glibc
public import Models

/// A Maildir++ tree as a source and sink of mail.
///
/// The root is INBOX; `.Work.Invoices` beside its `cur` is the mailbox `Work.Invoices`, shown as
/// `Work/Invoices`. Nothing that counts is kept between calls, so other programs may work on the same tree: files
/// are found by the part of their name that never changes (`unique`), and looked for again when a rename was lost
/// to another program. A folder or file that is a symbolic link is not followed.
public struct MaildirClient: Sendable {
    public let root: String
    public let account: AccountID
    /// The user's own words for roles (`folders:` in opus.yaml), by display name.
    public let folders: [MailboxRole: String]
    private let hints = NameHints()

    public init(root: String, account: AccountID, folders: [MailboxRole: String] = [:]) {
        self.root = root
        self.account = account
        self.folders = folders
    }

    var rootPath: BytePath { BytePath(root) }

    // MARK: Mailboxes

    /// INBOX first, then by name.
    public func mailboxes() throws(MaildirError) -> [Mailbox] {
        let path = rootPath
        let folder = try Descriptor.openRoot(path)
        guard try MailboxFolder.open(.inbox, in: folder, path: path, hints: hints) != nil else {
            throw .notAMaildir(path: root)
        }
        var names: [MailboxName] = []
        for entry in try folder.names(hidden: true, path: path) where entry.bytes.first == UInt8(ascii: ".") {
            let name = MailboxName(bytes: Array(entry.bytes.dropFirst()))
            // The root is INBOX already; a folder `.INBOX` beside it would be a second one.
            guard name != .inbox, MailboxNaming.isValid(name),
                try MailboxFolder.open(name, in: folder, path: path, hints: hints) != nil
            else { continue }
            names.append(name)
        }
        let all = [mailbox(.inbox)] + names.sorted().map { mailbox($0) }
        return WellKnownMailboxes.assign(to: all, folders: folders)
    }

    private func mailbox(_ name: MailboxName) -> Mailbox {
        Mailbox(
            account: account, name: name, displayName: MailboxNaming.displayName(name), delimiter: "/",
            role: name == .inbox ? .inbox : nil)
    }

    /// What a mailbox called so by a person (`Work/Invoices`) is on disk, whether or not it exists; nil for a
    /// name that no folder can have.
    public func mailbox(displayName: String, role: MailboxRole? = nil) -> Mailbox? {
        guard let name = MailboxNaming.name(forDisplayName: displayName) else { return nil }
        var mailbox = mailbox(name)
        if let role { mailbox.role = role }
        return mailbox
    }

    /// Makes the mailbox, if it is not there. The root is never made by it: a disk may be unmounted.
    public func create(_ mailbox: MailboxName) throws(MaildirError) {
        let path = rootPath
        let folder = try Descriptor.openRoot(path)
        guard mailbox != .inbox else { return try Self.makeParts(path) }
        guard MailboxNaming.isValid(mailbox) else { throw .invalidName(mailbox.description) }
        if let found = try MailboxFolder.open(mailbox, in: folder, path: path, hints: hints), found.isComplete
        {
            return
        }
        let name = [UInt8(ascii: ".")] + mailbox.bytes
        let base = path.appending(name)
        try Self.makeFolder(base)
        try Self.makeParts(base)
        // The mark of a sub-folder in Maildir++, which delivery programs look for.
        let mark = Glibc.open(
            base.appending("maildirfolder").cString, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if mark >= 0 { _ = close(mark) }
        _ = fsync(folder.raw)
    }

    /// Makes the root with its INBOX. For a new account or a demonstration, when a person asked for it.
    public func createRoot() throws(MaildirError) {
        try Self.makeFolder(rootPath)
        try Self.makeParts(rootPath)
    }

    private static func makeParts(_ base: BytePath) throws(MaildirError) {
        // `cur` last: it is what makes a folder a mailbox.
        for part in ["tmp", "new", "cur"] { try makeFolder(base.appending(part)) }
    }

    static func makeFolder(_ path: BytePath) throws(MaildirError) {
        guard mkdir(path.cString, 0o700) != 0 else { return }
        let number = errno
        var status = stat()
        if number == EEXIST, lstat(path.cString, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return }
        if number == EEXIST { throw .io(errno: ENOTDIR, path: path.description) }
        throw .system(number, path)
    }

    func open(_ mailbox: MailboxName) throws(MaildirError) -> MailboxFolder {
        let path = rootPath
        guard mailbox == .inbox || MailboxNaming.isValid(mailbox) else {
            throw .invalidName(mailbox.description)
        }
        let folder = try Descriptor.openRoot(path)
        guard let open = try MailboxFolder.open(mailbox, in: folder, path: path, hints: hints) else {
            if mailbox == .inbox { throw .notAMaildir(path: root) }
            throw .noSuchMailbox(mailbox, path: root + "/." + mailbox.description)
        }
        return open
    }
}
