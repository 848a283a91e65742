import Models
public import Pipeline

/// `opus.rules-edit/1`
public struct RulesEditDocument: Encodable, Sendable {
    var schema = "opus.rules-edit/1"
    var written: Bool
    var files: [String]
    /// In the format of `diff -u`.
    var diff: String
    var notes: [String]

    public init(_ edit: RuleEdit, written: Bool) {
        self.written = written
        files = edit.fileNames
        diff = edit.diff
        notes = edit.notes
    }
}
