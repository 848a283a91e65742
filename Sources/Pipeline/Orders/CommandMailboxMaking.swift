import Accounts
import Executor
import MailStore
import Models

/// Creates the command mailboxes of an account, and distinguishes them from mailboxes that the user created
/// for other purposes.
struct CommandMailboxMaking: Sendable {
    let workspace: Workspace
    let accounts: AccountAccess
    let connections: AccountConnections
    let store: Store

    struct Found {
        var own: [(entry: CommandMailboxes.Entry, mailbox: Mailbox)] = []
        var strange: [OrderReport.Strange] = []
    }

    /// The command mailboxes as of the last sync. Missing ones are created, except in a preview.
    ///
    /// A mailbox is a command mailbox if opus created it, or if it was empty when opus first saw it: after
    /// the loss of the store, these two cases look the same. A mailbox that contained mail at that time
    /// belongs to the user.
    func mailboxes(of account: Account, isLook: Bool) async throws -> Found {
        guard let settings = workspace.commandMailboxes else { return Found() }
        let known = try store.sync.mailboxes(of: account.id)
        let own = try store.orders.mailboxes(of: account.id)
        var found = Found()
        var missing: [Mailbox] = []
        var named: Set<MailboxName> = []
        for entry in settings.entries(people: workspace.people) {
            let (wanted, there) = accounts.mailbox(ofOrder: entry, account, among: known)
            guard let there else {
                missing.append(wanted)
                continue
            }
            named.insert(there.name)
            if own.contains(there.name) {
                found.own.append((entry, there))
            } else if there.role == nil, try isEmpty(there) {
                if !isLook { try store.orders.note(there.name, of: account.id, isOwn: true) }
            } else {
                found.strange.append(
                    .init(
                        mailbox: there.displayName,
                        reason:
                            "held mail before opus could use it: its messages are not orders. Empty it, or give "
                            + "the order another name in opus.yaml"))
            }
        }
        found.strange += try former(known.filter { own.contains($0.name) }, besides: found)
        found.strange += try renamed(
            known.filter { !own.contains($0.name) && !named.contains($0.name) && $0.role == nil },
            instead: missing.filter { own.contains($0.name) })
        if !missing.isEmpty, !isLook, account.permissions.allows(.create) { try await make(missing, account) }
        return found
    }

    /// Command mailboxes of earlier settings that hold mail: a person, a name or the parent has changed since.
    private func former(_ own: [Mailbox], besides found: Found) throws -> [OrderReport.Strange] {
        let current = Set(found.own.map(\.mailbox.name))
        return try own.filter { !current.contains($0.name) }.compactMap { mailbox in
            try stays(in: mailbox).map {
                .init(
                    mailbox: mailbox.displayName, reason: "opus.yaml no longer names this order, so its \($0)"
                )
            }
        }
    }

    /// `2 messages stay`; nil: the mailbox is empty.
    private func stays(in mailbox: Mailbox) throws -> String? {
        let count = try store.sync.extent(of: mailbox.account, mailbox: mailbox.name).count
        return count > 0 ? counted(count, "message stays", "messages stay") : nil
    }

    /// Mailboxes with mail that may be command mailboxes under another name: they are beside one that is gone, or have its last
    /// name.
    private func renamed(_ others: [Mailbox], instead gone: [Mailbox]) throws -> [OrderReport.Strange] {
        let parents = Set(gone.map(\.path.parent))
        let names = Set(gone.map(\.path.name))
        let found = others.filter { other in
            let path = other.path
            return !path.parent.isEmpty && (parents.contains(path.parent) || names.contains(path.name))
        }
        return try found.compactMap { mailbox in
            try stays(in: mailbox).map {
                .init(
                    mailbox: mailbox.displayName,
                    reason:
                        "a command mailbox is gone. If it was renamed to this one, \($0) here: rename it back, or name "
                        + "it in opus.yaml")
            }
        }
    }

    private func isEmpty(_ mailbox: Mailbox) throws -> Bool {
        guard try store.sync.syncState(of: mailbox.account, mailbox: mailbox.name)?.syncedAt != nil else {
            return false
        }
        return try store.sync.extent(of: mailbox.account, mailbox: mailbox.name).count == 0
    }

    /// They are noted only after they exist: if a crash comes in between, they are empty and are recognised
    /// next time.
    private func make(_ mailboxes: [Mailbox], _ account: Account) async throws {
        try await connections.connected(account) { connection in
            let sink = connection.makeSink()
            for mailbox in mailboxes {
                do throws(SinkError) {
                    // Servers say in different ways that it exists: it was made earlier in this run.
                    if try await sink.open(mailbox.name) == nil { try await sink.create(mailbox) }
                } catch {
                    throw Problem(
                        "no-command-mailbox", exit: .temporary,
                        message: "the mailbox \(mailbox.displayName) cannot be created: \(error.reason)",
                        place: "account \(account.id)")
                }
                try store.orders.note(mailbox.name, of: account.id, isOwn: true)
            }
        }
    }
}

extension Mailbox {
    /// The name in the form of the server, cut at the last delimiter.
    fileprivate var path: (parent: Substring, name: Substring) {
        guard let delimiter, let end = displayName.ranges(of: delimiter).last else {
            return ("", displayName[...])
        }
        return (displayName[..<end.lowerBound], displayName[end.upperBound...])
    }
}
