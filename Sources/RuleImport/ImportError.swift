/// Why a file cannot be read, and the place.
public struct ImportError: Error, Hashable, Sendable {
    /// From 1.
    public var line: Int
    /// From 1, in Characters.
    public var column: Int
    /// A lower-case clause without a full stop.
    public var message: String
}
