import Models
import Pipeline
public import Rules

/// `opus.export/1`
public struct ExportDocument: Encodable, Sendable {
    struct Note: Encodable, Sendable {
        var file: String
        var line: Int
        var rule: String
        var piece: String
        var reason: String
    }

    var schema = "opus.export/1"
    var format = "sieve"
    var rules: Int
    var text: String
    var notes: [Note]

    public init(_ export: SieveExport) {
        rules = export.ruleCount
        text = export.text
        notes = export.notes.map {
            Note(file: $0.file, line: $0.line, rule: $0.rule, piece: $0.piece, reason: $0.reason)
        }
    }
}
