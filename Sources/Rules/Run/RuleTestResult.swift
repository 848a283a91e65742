/// The result of one test, judged with its own file.
public struct RuleTestResult: Hashable, Sendable {
    public let name: String
    public let file: String
    public let line: Int
    public let passed: Bool
    /// Which expectation failed first, and what the message or the rules had instead; empty when it passed.
    public let detail: String
    /// The result of another file for the same mail, if the test does not expect it.
    public var interference: RuleTestInterference?
}

/// A rule of another file that changes the outcome of a test.
public struct RuleTestInterference: Hashable, Sendable {
    /// The rule that the test is about, or the protection.
    public let rule: String
    /// The rule, or the protection, of the other file.
    public let other: String
    public let otherFile: String
    public let otherLine: Int
    /// Which expectation fails beside the other file, and what happened instead. Empty: the test passes only beside it.
    public let detail: String

    /// One line for people, without the name of the test.
    public var words: String {
        let place = "'\(other)' (\(otherFile):\(otherLine))"
        guard !detail.isEmpty else { return "'\(rule)' passes its test only because of \(place)" }
        return "\(place) changes what happens to the mail of '\(rule)': \(detail)"
    }
}
