import Models
public import Pipeline

/// `opus.rules-suggest/1`
public struct RulesSuggestDocument: Encodable, Sendable {
    struct Item: Encodable, Sendable {
        var rule: String
        var isNew: Bool
        var evidence: String
        var messages: [String]
        var changes: Int
        var looked: Int
    }

    var schema = "opus.rules-suggest/1"
    var items: [Item]
    var diff: String
    var notes: [String]

    public init(_ found: RuleSuggestions) {
        items = found.suggestions.map {
            Item(
                rule: $0.rule, isNew: $0.isNew, evidence: $0.evidence, messages: $0.messages.map(\.rawValue),
                changes: $0.changes, looked: $0.looked)
        }
        diff = found.diff
        notes = found.notes
    }
}
