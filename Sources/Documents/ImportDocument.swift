import Models
public import Pipeline

/// `opus.import/1`
public struct ImportDocument: Encodable, Sendable {
    struct Note: Encodable, Sendable {
        var kind: String
        var line: Int
        var piece: String
        var reason: String
    }

    var schema = "opus.import/1"
    var format: String
    var file: String
    var out: String?
    var rules: Int
    var tests: Int
    /// The rule file.
    var text: String
    var notes: [Note]

    public init(_ imported: ImportedRules, file: String, out: String?) {
        format = imported.format
        self.file = file
        self.out = out
        rules = imported.ruleCount
        tests = imported.testCount
        text = imported.text
        notes = imported.notes.map {
            Note(kind: $0.kind, line: $0.line, piece: $0.piece, reason: $0.reason)
        }
    }
}
