public import Models

/// A new rule with its tests, made from existing mail.
public struct MadeRule: Sendable {
    public var id: String
    /// The text of the rule file.
    public var text: String
    public var testCount: Int
    /// Notes that the user should read before using the rule.
    public var notes: [String]
}

extension MadeRule {
    /// Writes the rule into a new file.
    public func write(to path: String) throws(Problem) { try ImportedRules.write(text, to: path) }
}
