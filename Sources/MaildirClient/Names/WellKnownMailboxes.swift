import IMAPProtocol
import Models

/// Common names of mailboxes, compared without case; the first existing name wins.
///
/// The names are those of IMAP (``SpecialUse/wellKnownNames``), because most Maildirs are copies of a server.
enum WellKnownMailboxes {
    static let names: [(role: MailboxRole, names: [String])] = [
        // A copy of Gmail has only this archive.
        (.archive, SpecialUse.archive.wellKnownNames + ["all mail"]),
        (.drafts, SpecialUse.drafts.wellKnownNames),
        (.sent, SpecialUse.sent.wellKnownNames),
        (.trash, SpecialUse.trash.wellKnownNames),
        (.junk, SpecialUse.junk.wellKnownNames),
        (.deferred, ["deferred"]),
    ]

    /// Assigns each role to at most one mailbox. The user's mailboxes (`folders:` in opus.yaml) come first.
    static func assign(to mailboxes: [Mailbox], folders: [MailboxRole: String]) -> [Mailbox] {
        var assigned = mailboxes
        // The drafts in another mailbox of drafts stay drafts.
        let more = names.filter { $0.role == .drafts && folders[.drafts] != nil }
        for (role, wanted) in names.map({ ($0, folders[$0].map { [$0.lowercased()] } ?? $1) }) + more {
            let candidates = wanted.lazy.compactMap { name in
                assigned.firstIndex { $0.role == nil && spellings(of: $0).contains(name) }
            }
            if let index = candidates.first { assigned[index].role = role }
        }
        return assigned
    }

    /// Courier and some Dovecot servers keep everything below INBOX, and programs that copy them write a dot after it.
    /// Gmail keeps its mailboxes below its own name.
    private static let prefixes = ["inbox/", "inbox.", "[gmail]/", "[google mail]/"]

    private static func spellings(of mailbox: Mailbox) -> [String] {
        let name = mailbox.displayName.lowercased()
        let raw = mailbox.name.description.lowercased()
        let prefix = prefixes.first { name.hasPrefix($0) }
        return [name, raw] + (prefix.map { [String(name.dropFirst($0.count))] } ?? [])
    }
}
