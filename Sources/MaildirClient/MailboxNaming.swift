import IMAPProtocol
import Models

/// Maildir++ folder names: `.Work.Invoices` is shown as `Work/Invoices`, in modified UTF-7 on disk.
///
/// A name that is no valid modified UTF-7 is shown as it is: many programs write UTF-8. RFC 3501 §5.1.3.
enum MailboxNaming {
    static let delimiter = UInt8(ascii: ".")

    static func displayName(_ name: MailboxName) -> String {
        let text = ModifiedUTF7.decode(name.bytes) ?? String(decoding: name.bytes, as: UTF8.self)
        return text.split(separator: ".", omittingEmptySubsequences: false).joined(separator: "/")
    }

    /// The name on disk for what a person calls a mailbox; nil when it cannot be one.
    static func name(forDisplayName text: String) -> MailboxName? {
        if text.lowercased() == "inbox" { return .inbox }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard !parts.contains(where: { $0.contains(".") }) else { return nil }
        let name = MailboxName(bytes: ModifiedUTF7.encode(parts.joined(separator: ".")))
        return isValid(name) ? name : nil
    }

    /// Whether `.` + name is one folder name without empty levels.
    static func isValid(_ name: MailboxName) -> Bool {
        let bytes = name.bytes
        guard !bytes.isEmpty, bytes.count <= 250 else { return false }
        guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "/") }) else {
            return false
        }
        return bytes.split(separator: delimiter, omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty }
    }
}

/// What mailboxes are called in the field. Compared without case; the first name that is there wins.
///
/// The names are IMAP's (``SpecialUse/wellKnownNames``): a Maildir is a server's copy more often than not.
enum WellKnownMailboxes {
    static let names: [(role: MailboxRole, names: [String])] = [
        // A copy of Gmail has no other archive.
        (.archive, SpecialUse.archive.wellKnownNames + ["all mail"]),
        (.drafts, SpecialUse.drafts.wellKnownNames),
        (.sent, SpecialUse.sent.wellKnownNames),
        (.trash, SpecialUse.trash.wellKnownNames),
        (.junk, SpecialUse.junk.wellKnownNames),
        (.deferred, ["deferred", "snoozed"]),
    ]

    /// Gives every role to at most one mailbox. The user's own folders (`folders:` in opus.yaml) come first.
    static func assign(to mailboxes: [Mailbox], folders: [MailboxRole: String]) -> [Mailbox] {
        var assigned = mailboxes
        for (role, names) in names {
            let wanted = folders[role].map { [$0.lowercased()] } ?? names
            let candidates = wanted.lazy.compactMap { name in
                assigned.firstIndex { $0.role == nil && spellings(of: $0).contains(name) }
            }
            if let index = candidates.first { assigned[index].role = role }
        }
        return assigned
    }

    /// Courier and some Dovecot servers keep everything below INBOX.
    private static func spellings(of mailbox: Mailbox) -> [String] {
        let name = mailbox.displayName.lowercased()
        let raw = mailbox.name.description.lowercased()
        return name.hasPrefix("inbox/") ? [name, raw, String(name.dropFirst("inbox/".count))] : [name, raw]
    }
}
