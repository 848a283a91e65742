import Accounts
import MailStore
public import Models
import SyncEngine

/// Creates a mailbox that the user names, through the journal.
public struct MailboxMaking: Sendable {
    let accounts: AccountAccess
    let connections: AccountConnections
    let store: Store
    let runner: JournalRunner

    /// The command in the journal.
    static let command = "mailbox create"

    /// The mailbox, and the run that created it.
    public struct Made: Sendable {
        public var mailbox: Mailbox
        /// nil: the mailbox already existed.
        public var report: RunReport?
    }

    /// Creates the mailbox and subscribes to it; an existing mailbox is not changed.
    ///
    /// - Parameters:
    ///   - name: With `/` between the levels, whatever delimiter the server uses.
    ///   - account: The account; nil: the only one.
    /// - Returns: The mailbox; the report shows if the account refused it.
    /// - Throws: ``Problem`` if the account does not exist, cannot be reached, or does not support such a
    ///   name.
    public func make(_ name: String, account: String?) async throws -> Made {
        let account = try only(account)
        // Requested now: the mailbox may have been created since the last sync, and the delimiter may be
        // unknown.
        let known = try await connections.connected(account) { try await $0.source.mailboxes() }
        if let there = AccountAccess.mailbox(name, among: known) { return Made(mailbox: there) }
        try account.require(.create)
        let mailbox = try NewMailboxes(account: account, known: known).require(name)
        let step = Step.byHand(
            Self.command, "\(mailbox.name) \(try CommandToken.next(in: store))", account, message: nil,
            .createMailbox(mailbox))
        let report = try await runner.carryOut(
            QueuedWork(steps: [step]), account: account, command: Self.command)
        if report.drain.failures.isEmpty, report.drain.halt == nil {
            try store.sync.saveMailboxes(known + [mailbox], of: account.id)
        }
        return Made(mailbox: mailbox, report: report)
    }

    private func only(_ name: String?) throws -> Account {
        let ids = try accounts.ids(named: name)
        guard let id = ids.first, ids.count == 1 else {
            throw Problem(
                "which-account", exit: .usage,
                message: "there are \(ids.count) accounts: which one gets the mailbox?",
                next: ["add --account NAME, one of: " + ids.map(\.rawValue).joined(separator: ", ")])
        }
        return try accounts.require(id)
    }
}
