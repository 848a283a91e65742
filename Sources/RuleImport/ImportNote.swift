/// One part of a filter that has another meaning now or was omitted.
public struct ImportNote: Hashable, Sendable {
    public enum Kind: String, Sendable {
        /// Omitted: rules cannot express it.
        case dropped
        /// Translated, with another meaning.
        case changed
    }

    public var kind: Kind
    /// From 1.
    public var line: Int
    /// The text in the file, on one line and shortened.
    public var piece: String
    /// A lower-case clause without a full stop.
    public var reason: String
}
