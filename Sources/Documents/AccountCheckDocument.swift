import Models
public import Pipeline

/// `opus.account-check/1`
public struct AccountCheckDocument: Encodable, Sendable {
    struct Item: Encodable, Sendable {
        var account: String
        var good: Bool
        var checks: [Line]
    }

    struct Line: Encodable, Sendable {
        var what: String
        var good: Bool
        var words: String
    }

    var schema = "opus.account-check/1"
    var items: [Item]

    public init(_ checks: [AccountCheck]) {
        items = checks.map { check in
            Item(
                account: check.account.rawValue, good: check.isGood,
                checks: check.lines.map { Line(what: $0.what, good: $0.isGood, words: $0.words) })
        }
    }
}
