import Models
public import Pipeline

/// `opus.store-export/1`
public struct StoreExportDocument: Encodable, Sendable {
    struct Item: Encodable, Sendable {
        var account: String
        var mailbox: String
        var messages: Int
        /// Messages that the account did not return, so the export has only their header and text.
        var missing: Int
        /// Labels that the format cannot hold; left out if there are none.
        var labelsLeftOut: Int?
    }

    var schema = "opus.store-export/1"
    var folder: String
    var format: String
    var messages: Int
    var missing: Int
    var drafts: Int
    var tasks: Int
    var items: [Item]

    public init(_ report: StoreExport.Report) {
        folder = report.folder
        format = report.format.rawValue
        messages = report.messages
        missing = report.missing
        drafts = report.drafts
        tasks = report.tasks
        items = report.mailboxes.map {
            Item(
                account: $0.account, mailbox: $0.mailbox, messages: $0.messages, missing: $0.missing,
                labelsLeftOut: $0.labelsLeftOut > 0 ? $0.labelsLeftOut : nil)
        }
    }
}
