import MailStore
import Models

/// Shared inputs of all parts of one mailbox's sync.
struct MailboxContext: Sendable {
    let sync: SyncContext
    let mailbox: Mailbox
    /// Whether new messages may have been moved from another mailbox.
    var expectsMoves = false
}

/// A part of one mailbox's sync.
protocol MailboxPart: Sendable {
    var context: MailboxContext { get }
}

extension MailboxPart {
    var mailbox: Mailbox { context.mailbox }
    var store: Store { context.sync.store }
    var account: AccountID { context.sync.account }
    var source: any MailSource { context.sync.source }
    var now: Timestamp { context.sync.now }
}
