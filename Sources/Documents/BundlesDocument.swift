import Models
public import Pipeline

/// `opus.bundles/1`
public struct BundlesDocument: Encodable, Sendable {
    var schema = "opus.bundles/1"
    var items: [Item]

    struct Item: Encodable, Sendable {
        var name: String
        var messages: [String]
        var senders: Int
        var unread: Int
    }

    public init(_ bundles: [MailBundle]) {
        items = bundles.map {
            Item(
                name: $0.bundle.name, messages: $0.lines.map(\.facts.id.rawValue), senders: $0.senders,
                unread: $0.unread)
        }
    }
}
