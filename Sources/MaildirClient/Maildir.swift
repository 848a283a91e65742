import Glibc
public import Models

/// A Maildir tree, to read and change mail, in either layout: see ``MaildirLayout``.
///
/// In a Maildir++, the root is INBOX, and `.Work.Invoices` beside its `cur` is the mailbox `Work.Invoices`, shown as
/// `Work/Invoices`; in the other layout, the folder `Work/Invoices` is the mailbox of that name. Nothing important is
/// kept between calls, so other programs may work on the same tree: files are found by the constant part of their name
/// (`unique`), and searched again if another program renamed them meanwhile. Symbolic links are not followed.
public struct Maildir: Sendable {
    public let root: String
    public let account: AccountID
    /// The user's mailboxes for roles (`folders:` in opus.yaml), by display name.
    public let folders: [MailboxRole: String]
    /// The names of further mailboxes for sent mail.
    public let sent: [String]
    /// What the account allows opus to do: each change first calls ``require(_:)``.
    public let permissions: Permissions
    private let hints = NameHints()

    public init(
        root: String, account: AccountID, folders: [MailboxRole: String] = [:], sent: [String] = [],
        permissions: Permissions = .full
    ) {
        self.root = root
        self.sent = sent
        self.permissions = permissions
        self.account = account
        self.folders = folders
    }

    var rootPath: BytePath { BytePath(root) }

    func require(_ permission: Permission) throws(MaildirError) {
        guard permissions.allows(permission) else {
            throw .notAllowed(permission, allowed: permissions.name)
        }
    }

    // MARK: Mailboxes

    /// INBOX first, then by name.
    public func mailboxes() throws(MaildirError) -> [Mailbox] {
        let root = try openRoot()
        var names: [MailboxName] = []
        for name in try root.layout.names(in: root.folder, path: root.path)
        where try MailboxFolder.open(name, in: root, hints: hints) != nil { names.append(name) }
        let all = ([.inbox] + names.sorted()).map { mailbox($0, root.layout) }
        return WellKnownMailboxes.assign(to: all, folders: folders).withSent(sent)
    }

    private func mailbox(_ name: MailboxName, _ layout: MaildirLayout) -> Mailbox {
        Mailbox(
            account: account, name: name, displayName: layout.displayName(name), delimiter: "/",
            role: name == .inbox ? .inbox : nil)
    }

    /// What a mailbox called so by a person (`Work/Invoices`) is on disk, whether or not it exists; nil for a
    /// name that no folder can have.
    public func mailbox(displayName: String, role: MailboxRole? = nil) -> Mailbox? {
        // Nothing is known of a missing Maildir; the first use of the name will report it.
        let layout = (try? openRoot().layout) ?? .dotted
        guard let name = layout.name(forDisplayName: displayName) else { return nil }
        var mailbox = mailbox(name, layout)
        if let role { mailbox.role = role }
        return mailbox
    }

    /// Makes the mailbox, if it is not there, in the layout that the others have. The root is never made by it: a disk
    /// may be unmounted.
    public func create(_ mailbox: MailboxName) throws(MaildirError) {
        let root = try openRoot()
        guard mailbox == .inbox || root.layout.isValid(mailbox) else {
            throw .invalidName(mailbox.description)
        }
        if let found = try MailboxFolder.open(mailbox, in: root, hints: hints), found.isComplete { return }
        try require(.create)
        var base = root.path
        for name in root.layout.folders(of: mailbox) {
            base = base.appending(name)
            try Self.makeFolder(base)
        }
        try Self.makeParts(base)
        if root.layout == .dotted, mailbox != .inbox { Self.markSubfolder(base) }
        try makeDurable(mailbox, root)
    }

    /// The mark of a sub-folder in Maildir++, which delivery programs look for.
    private static func markSubfolder(_ base: BytePath) {
        let mark = Glibc.open(
            base.appending("maildirfolder").cString, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if mark >= 0 { _ = close(mark) }
    }

    /// Every folder from the root to the mailbox, so that none of them is lost with what will be put into it.
    private func makeDurable(
        _ mailbox: MailboxName, _ root: borrowing MaildirRoot
    ) throws(MaildirError) {
        try root.folder.makeDurable(root.path)
        var path = root.path
        guard var folder = try root.folder.folder([UInt8(ascii: ".")], path: path) else { return }
        for name in root.layout.folders(of: mailbox) {
            path = path.appending(name)
            guard let next = try folder.folder(name, path: path) else { return }
            try next.makeDurable(path)
            folder = next
        }
    }

    /// Makes the root with its INBOX. For a new account or a demonstration, at the request of the user.
    public func createRoot() throws(MaildirError) {
        try require(.create)
        try Self.makeFolder(rootPath)
        try Self.makeParts(rootPath)
    }

    private static func makeParts(_ base: BytePath) throws(MaildirError) {
        // `cur` is made last, because a folder with `cur` is a mailbox.
        for part in MaildirLayout.parts { try makeFolder(base.appending(part)) }
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
        let root = try openRoot()
        guard mailbox == .inbox || root.layout.isValid(mailbox) else {
            throw .invalidName(mailbox.description)
        }
        guard let open = try MailboxFolder.open(mailbox, in: root, hints: hints) else {
            var path = root.path
            for name in root.layout.folders(of: mailbox) { path = path.appending(name) }
            throw .noSuchMailbox(mailbox, path: path.description)
        }
        return open
    }

    /// nil when the folder is not a mailbox.
    func open(
        _ mailbox: MailboxName, in root: borrowing MaildirRoot
    ) throws(MaildirError) -> MailboxFolder? {
        try MailboxFolder.open(mailbox, in: root, hints: hints)
    }

    /// The root as it is now: other programs may turn one layout into the other.
    func openRoot() throws(MaildirError) -> MaildirRoot {
        let path = rootPath
        let folder = try Descriptor.openRoot(path)
        guard let layout = try MaildirLayout.detect(in: folder, path: path) else {
            throw .notAMaildir(path: root)
        }
        return MaildirRoot(folder: folder, path: path, layout: layout)
    }
}
