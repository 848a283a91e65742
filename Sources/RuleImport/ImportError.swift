/// Why a file cannot be read, and where.
public struct ImportError: Error, Hashable, Sendable {
    /// 1-based.
    public var line: Int
    /// 1-based, in Characters.
    public var column: Int
    /// A lower-case clause without a full stop.
    public var message: String
}
