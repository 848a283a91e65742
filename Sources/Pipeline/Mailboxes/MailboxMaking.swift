import Accounts
import MailStore
public import Models
import SyncEngine

/// Makes a mailbox that the user names, through the journal.
public struct MailboxMaking: Sendable {
    let accounts: AccountAccess
    let connections: AccountConnections
    let store: Store
    let runner: JournalRunner

    /// What the journal calls it.
    static let command = "mailbox create"

    /// The mailbox, and the run that made it.
    public struct Made: Sendable {
        public var mailbox: Mailbox
        /// nil: the mailbox was there before.
        public var report: RunReport?
    }

    /// Makes the mailbox and subscribes to it; one that is there already stays as it is.
    ///
    /// - Parameters:
    ///   - name: With `/` between the levels, whatever the server has.
    ///   - account: The account; nil: the only one.
    /// - Returns: What became of it; the report says when the account refused.
    /// - Throws: ``Problem`` if the account does not exist, cannot be reached, or cannot have a mailbox of that name.
    public func make(_ name: String, account: String?) async throws -> Made {
        let account = try only(account)
        // Asked now: the mailbox may have been made since the last sync, and the delimiter may never have been read.
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
