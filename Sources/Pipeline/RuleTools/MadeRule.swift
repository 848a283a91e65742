public import Models

/// A new rule with its tests, made from existing mail.
public struct MadeRule: Sendable {
    public var id: String
    /// A rule file.
    public var text: String
    public var testCount: Int
    /// Notes for the user before the rule is used.
    public var notes: [String]
}

extension MadeRule {
    /// Writes the rule into a new file.
    public func write(to path: String) throws(Problem) { try ImportedRules.write(text, to: path) }
}
