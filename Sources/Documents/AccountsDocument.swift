import Models
public import Pipeline

/// `opus.accounts/1`
public struct AccountsDocument: Encodable, Sendable {
    struct Item: Encodable, Sendable {
        var name: String
        var address: String
        var kind: String
        var place: String
    }

    var schema = "opus.accounts/1"
    var items: [Item]

    public init(_ accounts: [AccountLine]) {
        items = accounts.map { Item(name: $0.name, address: $0.address, kind: $0.kind, place: $0.place) }
    }
}
