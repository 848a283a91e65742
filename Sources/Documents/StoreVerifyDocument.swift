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
    /// The size of all headers and texts in the store.
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
