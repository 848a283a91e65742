public import Models
public import Pipeline

/// `opus.search/1`
public struct SearchDocument: Encodable, Sendable {
    var schema = "opus.search/1"
    var messages: [MessagesDocument.Item]
    var tasks: [TaskDocument.Fields]
    /// Reasons in the query for an empty result.
    var warnings: [String]?

    public init(_ lines: [MessageLine], _ files: [TodoFile], _ session: Session, warnings: [String] = []) {
        messages = lines.map { MessagesDocument.Item($0, zone: session.zone) }
        tasks = files.map { TaskDocument.Fields($0, session) }
        self.warnings = warnings.isEmpty ? nil : warnings
    }
}
