/// A rule that matches a message but cannot make one of its actions, and why.
public struct RuleFailure: Hashable, Codable, Sendable {
    public var rule: String
    public var reason: String

    public init(rule: String, reason: String) {
        self.rule = rule
        self.reason = reason
    }
}
