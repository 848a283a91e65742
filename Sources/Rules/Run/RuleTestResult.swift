/// The result of one test with its own file.
public struct RuleTestResult: Hashable, Sendable {
    public let name: String
    public let file: String
    public let line: Int
    public let passed: Bool
    /// The first failed expectation, and the actual value; empty if the test passed.
    public let detail: String
    /// The effect of another file on the same mail, if the test does not expect it.
    public var interference: RuleTestInterference?
}

/// A rule of another file that changes the outcome of a test.
public struct RuleTestInterference: Hashable, Sendable {
    /// The rule or protection that the test is about.
    public let rule: String
    /// The rule or protection of the other file.
    public let other: String
    public let otherFile: String
    public let otherLine: Int
    /// The expectation that fails together with the other file, and the actual result. Empty: the test passes
    /// only together with it.
    public let detail: String

    /// One line for users, without the name of the test.
    public var words: String {
        let place = "'\(other)' (\(otherFile):\(otherLine))"
        guard !detail.isEmpty else { return "'\(rule)' passes its test only because of \(place)" }
        return "\(place) changes what happens to the mail of '\(rule)': \(detail)"
    }
}
