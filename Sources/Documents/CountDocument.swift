/// `opus.count/1`: how many messages or threads a search finds.
public struct CountDocument: Encodable, Sendable {
    var schema = "opus.count/1"
    var count: Int

    public init(_ count: Int) { self.count = count }
}
