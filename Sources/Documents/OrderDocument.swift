import Models
import Pipeline

/// An order in `opus.morning/1` and `opus.watch/1`.
struct OrderDocument: Encodable, Sendable {
    var account: String
    /// The display name of the mailbox.
    var mailbox: String
    /// nil: the entry is about the mailbox itself.
    var id: String?
    var from: String?
    var subject: String?
    /// Why it was not executed; nil: it was.
    var failure: String?

    static func all(_ report: OrderReport) -> [OrderDocument] {
        report.orders.map { order in
            OrderDocument(
                account: report.account.rawValue, mailbox: order.mailbox, id: order.mail.id.rawValue,
                from: order.mail.from, subject: order.mail.subject, failure: order.failure)
        }
            + report.strange.map {
                OrderDocument(account: report.account.rawValue, mailbox: $0.mailbox, failure: $0.reason)
            }
    }
}
