public import Pipeline

/// `opus.task-sync-setup/1`
public struct TaskSyncSetupDocument: Encodable, Sendable {
    var schema = "opus.task-sync-setup/1"
    var service: String
    var program: String
    var file: String
    var url: String
    var lists: [String]
    /// `keep`, `here` or `server`.
    var conflict: String
    /// The number of tasks after the first sync, and how many of them came from the server.
    var tasks: Int
    var fetched: Int
    var syncCommand: [String]
    /// The value of `tasks.sync-command`, if it was already set to another command.
    var otherSyncCommand: [String]?

    public init(_ report: TaskSyncSetup.Report) {
        service = report.service.name
        program = report.program.rawValue
        file = report.file
        url = report.url
        lists = report.lists
        conflict = report.conflict.rawValue
        tasks = report.after
        fetched = max(0, report.after - report.before)
        syncCommand = report.command
        otherSyncCommand = report.otherCommand
    }
}
