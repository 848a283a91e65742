import Models
import Pipeline

/// `opus.task-check/1`
public struct TaskCheckDocument: Encodable, Sendable {
    var schema = "opus.task-check/1"
    var tasks: Int
    var findings: [String]

    public init(tasks: Int, findings: [String]) {
        self.tasks = tasks
        self.findings = findings
    }
}
