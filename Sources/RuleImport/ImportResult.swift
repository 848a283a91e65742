/// The result of an import.
public struct ImportResult: Hashable, Sendable {
    /// A rule file without errors, and whose tests pass when it is the only file.
    public var text: String
    public var ruleCount: Int
    public var testCount: Int
    /// In the order of the file that was read.
    public var notes: [ImportNote]
}
