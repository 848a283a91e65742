import Models
public import Pipeline

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
