import Models
import Pipeline
public import Rules

/// `opus.rules/1`
public struct RulesDocument: Encodable, Sendable {
    struct Item: Encodable, Sendable {
        var id: String
        var description: String
        var file: String
        var line: Int
        var accounts: [String]
        var auto: Bool
    }

    var schema = "opus.rules/1"
    var items: [Item]

    public init(_ rules: [RuleInfo]) {
        items = rules.map {
            Item(
                id: $0.id, description: $0.description, file: $0.file, line: $0.line,
                accounts: $0.accounts.map(\.rawValue), auto: $0.isAuto)
        }
    }
}
