import Models
public import Pipeline

/// `opus.store-verify/1`
public struct StoreVerifyDocument: Encodable, Sendable {
    struct Item: Encodable, Sendable {
        var code: String
        var table: String?
        var count: Int
        var words: String
        var next: String
    }

    var schema = "opus.store-verify/1"
    var path: String
    var good: Bool
    var bytes: Int64
    var freeBytes: Int64
    var messages: Int
    /// Of the headers and texts that it holds.
    var contentBytes: Int64
    var items: [Item]

    public init(_ check: StoreCare.Check) {
        path = check.path
        good = check.defects.isEmpty
        bytes = check.bytes
        freeBytes = check.free
        messages = check.messages
        contentBytes = check.contents
        items = check.defects.map {
            Item(code: $0.code, table: $0.table, count: $0.count, words: $0.words, next: $0.next)
        }
    }
}

/// `opus.store-compact/1`
public struct StoreCompactDocument: Encodable, Sendable {
    var schema = "opus.store-compact/1"
    var path: String
    var before: Int64
    var after: Int64

    public init(_ compaction: StoreCare.Compaction) {
        path = compaction.path
        before = compaction.before
        after = compaction.after
    }
}

/// `opus.store-rebuild/1`
public struct StoreRebuildDocument: Encodable, Sendable {
    struct AccountItem: Encodable, Sendable {
        var account: String
        var messages: Int
        var problems: [String]
    }

    struct Carried: Encodable, Sendable {
        var table: String
        var words: String
        var rows: Int
    }

    var schema = "opus.store-rebuild/1"
    var path: String
    /// Whether it continued an interrupted rebuild.
    var resumed: Bool
    var accounts: [AccountItem]
    /// Messages that the accounts no longer have.
    var kept: Int
    var carried: [Carried]
    var before: Int64
    var after: Int64

    public init(_ report: StoreRebuilding.Report) {
        path = report.path
        resumed = report.isResumed
        accounts = report.accounts.map {
            AccountItem(account: $0.account.rawValue, messages: $0.added, problems: $0.problems)
        }
        kept = report.kept
        carried = report.carried.map { Carried(table: $0.table, words: $0.words, rows: $0.rows) }
        before = report.before
        after = report.after
    }
}

/// `opus.store-export/1`
public struct StoreExportDocument: Encodable, Sendable {
    struct Item: Encodable, Sendable {
        var account: String
        var mailbox: String
        var messages: Int
        /// The account did not hand them out: only header and text were written.
        var missing: Int
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
            Item(account: $0.account, mailbox: $0.mailbox, messages: $0.messages, missing: $0.missing)
        }
    }
}
