import Models
public import Pipeline

/// `opus.rules-new/1`
public struct RulesNewDocument: Encodable, Sendable {
    var schema = "opus.rules-new/1"
    var rule: String
    var tests: Int
    var text: String
    var notes: [String]
    var out: String?

    public init(_ made: MadeRule, out: String?) {
        rule = made.id
        tests = made.testCount
        text = made.text
        notes = made.notes
        self.out = out
    }
}
