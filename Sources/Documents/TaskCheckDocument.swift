import Models
import Pipeline

/// `opus.task-check/1`
public struct TaskCheckDocument: Encodable, Sendable {
    var schema = "opus.task-check/1"
    var tasks: Int
    var findings: [String]
    /// The number of calendar files with events and without tasks; opus ignores them.
    var eventFiles: Int

    public init(tasks: Int, findings: [String], eventFiles: Int) {
        self.tasks = tasks
        self.eventFiles = eventFiles
        self.findings = findings
    }
}
