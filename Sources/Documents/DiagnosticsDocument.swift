public import Models
import Pipeline

/// `opus.diagnostics/1`
public struct DiagnosticsDocument: Encodable, Sendable {
    var schema = "opus.diagnostics/1"
    var items: [Diagnostic]

    public init(_ items: [Diagnostic]) { self.items = items }
}
