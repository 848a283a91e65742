/// `opus.searches/1`: the saved searches.
public struct SearchesDocument: Encodable, Sendable {
    struct Item: Encodable, Sendable {
        var name: String
        var query: String
    }

    var schema = "opus.searches/1"
    var searches: [Item]

    public init(_ all: [(name: String, query: String)]) {
        searches = all.map { Item(name: $0.name, query: $0.query) }
    }
}
