public import Models

/// A new rule with its tests, made of mail that is there.
public struct MadeRule: Sendable {
    public var id: String
    /// A rule file.
    public var text: String
    public var testCount: Int
    /// What to know before it is used.
    public var notes: [String]
}

extension MadeRule {
    /// Writes the rule into a new file.
    public func write(to path: String) throws(Problem) { try ImportedRules.write(text, to: path) }
}
