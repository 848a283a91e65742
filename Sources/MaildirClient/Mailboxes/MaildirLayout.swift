import Glibc
import IMAPProtocol
import Models

/// How the mailboxes of a Maildir are arranged on disk.
///
/// The root decides: with its own `cur`, it is the INBOX of a Maildir++; without one, it is a folder of mailboxes side
/// by side, if one of them is called INBOX. opus neither reads nor creates folders of the other layout.
enum MaildirLayout: Hashable, Sendable {
    /// Maildir++: `.Work.Invoices` beside the root's `cur`. Used by Dovecot, Courier, and mbsync with `SubFolders
    /// Maildir++`.
    case dotted
    /// `INBOX/cur`, `Sent/cur`, `Work/Invoices/cur`: used by mbsync with `SubFolders Verbatim` and by offlineimap.
    /// `inbox`: the name of INBOX on disk.
    case verbatim(inbox: [UInt8])

    /// nil: the folder is not a Maildir of either layout.
    static func detect(in root: borrowing Descriptor, path: BytePath) throws(MaildirError) -> MaildirLayout? {
        if root.status(Array("cur".utf8)).map(isFolder) ?? false { return .dotted }
        let usual = MailboxName.inbox.bytes
        if try holdsMail(usual, in: root, path: path) { return .verbatim(inbox: usual) }
        for entry in try root.names(hidden: false, path: path)
        where String(decoding: entry.bytes, as: UTF8.self).lowercased() == "inbox" {
            if try holdsMail(entry.bytes, in: root, path: path) { return .verbatim(inbox: entry.bytes) }
        }
        return nil
    }

    private static func holdsMail(
        _ name: [UInt8], in root: borrowing Descriptor, path: BytePath
    ) throws(MaildirError) -> Bool {
        guard let folder = try root.folder(name, path: path.appending(name)) else { return false }
        return folder.status(Array("cur".utf8)).map(isFolder) ?? false
    }

    static func isFolder(_ status: stat) -> Bool { status.st_mode & S_IFMT == S_IFDIR }

    // MARK: Names

    static let maximumLevels = 20
    static let parts = ["tmp", "new", "cur"]

    /// The folders from the root to the mailbox; none for the INBOX of a Maildir++.
    func folders(of mailbox: MailboxName) -> [[UInt8]] {
        switch self {
        case .dotted:
            return mailbox == .inbox ? [] : [[UInt8(ascii: ".")] + mailbox.bytes]
        case .verbatim(let inbox):
            if mailbox == .inbox { return [inbox] }
            var levels = levels(of: mailbox)
            if levels.count > 1, levels[0] == MailboxName.inbox.bytes { levels[0] = inbox }
            return levels
        }
    }

    private var delimiter: UInt8 {
        switch self {
        case .dotted: UInt8(ascii: ".")
        case .verbatim: UInt8(ascii: "/")
        }
    }

    private func levels(of mailbox: MailboxName) -> [[UInt8]] {
        mailbox.bytes.split(separator: delimiter, omittingEmptySubsequences: false).map(Array.init)
    }

    /// Whether the name is a place below the root, and one that the layout has.
    func isValid(_ mailbox: MailboxName) -> Bool {
        let bytes = mailbox.bytes
        guard !bytes.isEmpty, !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return false }
        let levels = levels(of: mailbox)
        guard levels.count <= Self.maximumLevels, levels.allSatisfy({ !$0.isEmpty }) else { return false }
        switch self {
        case .dotted:
            return bytes.count <= 250 && !bytes.contains(UInt8(ascii: "/"))
        case .verbatim(let inbox):
            return bytes.count <= 1_000 && mailbox.bytes != inbox && levels.allSatisfy(Self.isLevel)
        }
    }

    /// A folder of the verbatim layout: hidden ones are other programs' own, and `cur` is a part of a mailbox.
    private static func isLevel(_ name: [UInt8]) -> Bool {
        name.count <= 250 && name.first != UInt8(ascii: ".") && !parts.contains { name == Array($0.utf8) }
    }

    /// A name that is not valid modified UTF-7 is shown as it is: many programs write UTF-8. RFC 3501 §5.1.3.
    func displayName(_ mailbox: MailboxName) -> String {
        let text =
            ModifiedUTF7.decode(mailbox.bytes) ?? String(decoding: mailbox.bytes, as: UTF8.self)
        switch self {
        case .dotted:
            return text.split(separator: ".", omittingEmptySubsequences: false).joined(separator: "/")
        case .verbatim: return text
        }
    }

    /// The name on disk for what a person calls a mailbox; nil when it cannot be one.
    func name(forDisplayName text: String) -> MailboxName? {
        if text.lowercased() == "inbox" { return .inbox }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        let name: MailboxName
        switch self {
        case .dotted:
            guard !parts.contains(where: { $0.contains(".") }) else { return nil }
            name = MailboxName(bytes: ModifiedUTF7.encode(parts.joined(separator: ".")))
        case .verbatim:
            name = MailboxName(bytes: ModifiedUTF7.encode(text))
        }
        return isValid(name) ? name : nil
    }

    // MARK: What is there

    /// The names of all folders that may be mailboxes, without INBOX.
    func names(in root: borrowing Descriptor, path: BytePath) throws(MaildirError) -> [MailboxName] {
        switch self {
        case .dotted:
            var names: [MailboxName] = []
            for entry in try root.names(hidden: true, path: path) where entry.bytes.first == UInt8(ascii: ".")
            {
                let name = MailboxName(bytes: Array(entry.bytes.dropFirst()))
                // The root is INBOX already; a folder `.INBOX` beside it would be a second one.
                if name != .inbox, isValid(name) { names.append(name) }
            }
            return names
        case .verbatim: return try namesSideBySide(in: root, path: path)
        }
    }

    /// Folder by folder; a mailbox may hold others, and a folder that is not a mailbox may too.
    private func namesSideBySide(
        in root: borrowing Descriptor, path: BytePath
    ) throws(MaildirError) -> [MailboxName] {
        var found: [MailboxName] = []
        var waiting: [[UInt8]] = [[]]
        while let above = waiting.popLast() {
            let folder = try Self.open(above, in: root, path: path)
            let entries: [Descriptor.Name]
            switch folder {
            case .some(let folder): entries = try folder.names(hidden: false, path: path.appending(above))
            case .none: entries = try above.isEmpty ? root.names(hidden: false, path: path) : []
            }
            for entry in entries where entry.type == UInt8(DT_DIR) || entry.type == UInt8(DT_UNKNOWN) {
                let bytes = above.isEmpty ? entry.bytes : above + [UInt8(ascii: "/")] + entry.bytes
                let name = named(bytes)
                guard Self.isLevel(entry.bytes), found.count + waiting.count < Self.maximumFolders else {
                    continue
                }
                if isValid(name) { found.append(name) }
                if isValid(name) || self == .verbatim(inbox: bytes) { waiting.append(bytes) }
            }
        }
        return found
    }

    /// What is below INBOX is called so, whatever case its folder has.
    private func named(_ path: [UInt8]) -> MailboxName {
        guard case .verbatim(let inbox) = self, path.starts(with: inbox + [UInt8(ascii: "/")]) else {
            return MailboxName(bytes: path)
        }
        return MailboxName(bytes: MailboxName.inbox.bytes + path.dropFirst(inbox.count))
    }

    private static let maximumFolders = 20_000

    /// nil for the root itself, and for a folder that is gone.
    private static func open(
        _ levels: [UInt8], in root: borrowing Descriptor, path: BytePath
    ) throws(MaildirError) -> Descriptor? {
        var place = path
        var folder: Descriptor?
        for level in levels.split(separator: UInt8(ascii: "/")) {
            place = place.appending(Array(level))
            let next: Descriptor?
            switch folder {
            case .some(let above): next = try above.folder(Array(level), path: place)
            case .none: next = try root.folder(Array(level), path: place)
            }
            guard let next else { return nil }
            folder = consume next
        }
        return folder
    }
}
