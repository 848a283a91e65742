/// The result of an import.
public struct ImportResult: Hashable, Sendable {
    /// A rule file without errors. Its tests pass if it is the only file.
    public var text: String
    public var ruleCount: Int
    public var testCount: Int
    /// In the order of the input file.
    public var notes: [ImportNote]
}
