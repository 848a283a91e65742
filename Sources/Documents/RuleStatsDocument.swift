import Models
public import Pipeline
import Rules

/// `opus.rule-stats/1`
public struct RuleStatsDocument: Encodable, Sendable {
    struct Item: Encodable, Sendable {
        var rule: String
        var file: String
        var line: Int
        var enabled: Bool
        var counted: Bool
        var hits7: Int
        var hits30: Int
        var hits90: Int
        var hits: Int
        var last: Timestamp?
        var reversed: Int
        var shadowed: Int
        var tests: Int
    }

    var schema = "opus.rule-stats/1"
    var items: [Item]

    public init(_ lines: [RuleStatistics]) {
        items = lines.map {
            Item(
                rule: $0.rule.id, file: $0.rule.file, line: $0.rule.line, enabled: $0.rule.isEnabled,
                counted: true, hits7: $0.hits7, hits30: $0.hits30, hits90: $0.hits90, hits: $0.hits,
                last: $0.last,
                reversed: $0.reversed, shadowed: $0.shadowed, tests: $0.tests)
        }
    }
}
