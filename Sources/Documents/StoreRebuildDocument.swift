import Models
public import Pipeline

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
