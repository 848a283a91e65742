import Models
public import Pipeline

/// `opus.drafts/1`
public struct DraftsDocument: Encodable, Sendable {
    struct Item: Encodable, Sendable {
        var id: String
        var account: String
        var saved: String
        var state: String
        var to: [String]
        var subject: String
        var wait: String?
    }

    var schema = "opus.drafts/1"
    var items: [Item]

    public init(_ lines: [DraftLine], zone: ZoneClock) {
        items = lines.map {
            Item(
                id: $0.id, account: $0.account.rawValue, saved: zone.rfc3339($0.savedAt),
                state: $0.state.rawValue,
                to: $0.to.map(\.addrSpec), subject: $0.subject, wait: $0.wait)
        }
    }
}
