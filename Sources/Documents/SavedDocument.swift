public import Inspection

/// `opus.saved/1`
public struct SavedDocument: Encodable, Sendable {
    var schema = "opus.saved/1"
    var items: [SavedAttachment]

    public init(_ items: [SavedAttachment]) { self.items = items }
}
