import Models
import Pipeline
public import Rules

/// `opus.rule-tests/1`
public struct RuleTestsDocument: Encodable, Sendable {
    struct Item: Encodable, Sendable {
        var name: String
        var file: String
        var line: Int
        var passed: Bool
        var detail: String
        /// The rule of another file that changes the result.
        var beside: Beside?
    }

    struct Beside: Encodable, Sendable {
        var rule: String
        var other: String
        var file: String
        var line: Int
        var detail: String

        init(_ found: RuleTestInterference) {
            rule = found.rule
            other = found.other
            file = found.otherFile
            line = found.otherLine
            detail = found.detail
        }
    }

    var schema = "opus.rule-tests/1"
    var items: [Item]

    public init(_ results: [RuleTestResult]) {
        items = results.map {
            Item(
                name: $0.name, file: $0.file, line: $0.line, passed: $0.passed, detail: $0.detail,
                beside: $0.interference.map(Beside.init))
        }
    }
}
