/// One part of a filter that changed or was left out.
public struct ImportNote: Hashable, Sendable {
    public enum Kind: String, Sendable {
        /// Left out: a rule cannot do this.
        case dropped
        /// Translated, with another meaning.
        case changed
    }

    public var kind: Kind
    /// 1-based.
    public var line: Int
    /// The words of the file, in one line and shortened.
    public var piece: String
    /// A lower-case clause without a full stop.
    public var reason: String
}
