public import Models
import Pipeline

/// `opus.sync/1`
public struct SyncDocument: Encodable, Sendable {
    struct Account: Encodable, Sendable {
        var account: String
        var added: Int
        var changed: Int
        var removed: Int
        var mailboxes: [Mailbox]
        var problems: [String]
        /// Missing if there are none.
        var notices: [String]?

        init(_ report: SyncReport) {
            account = report.account.rawValue
            added = report.added
            changed = report.changed
            removed = report.removed
            problems = report.problems
            notices = report.notices.isEmpty ? nil : report.notices
            mailboxes = report.mailboxes.map {
                Mailbox(
                    name: $0.mailbox.displayName, role: $0.mailbox.role?.rawValue, added: $0.added,
                    changed: $0.flagsChanged, removed: $0.removed, skipped: $0.skipped)
            }
        }
    }

    struct Mailbox: Encodable, Sendable {
        var name: String
        var role: String?
        var added: Int
        var changed: Int
        var removed: Int
        var skipped: Int
    }

    var schema = "opus.sync/1"
    var accounts: [Account]

    public init(_ reports: [SyncReport]) { accounts = reports.map(Account.init) }
}
