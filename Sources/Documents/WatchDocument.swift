public import Models
public import Pipeline

/// `opus.watch/1`, one object a line.
public struct WatchDocument: Encodable, Sendable {
    var schema = "opus.watch/1"
    var type: String
    var account: String
    var time: String
    var sync: SyncDocument.Account?
    var run: RunDocument.Item?
    var notices: [String]?
    var orders: [OrderDocument]?
    var method: String?
    var message: String?
    var retrySeconds: Int64?

    public init(_ event: WatchEvent, account: AccountID, time: String) {
        self.account = account.rawValue
        self.time = time
        switch event {
        case .synced(let report):
            type = "synced"
            sync = SyncDocument.Account(report)
        case .delivered(let report):
            type = "delivered"
            run = RunDocument.Item(report)
        case .ordered(let report):
            type = "ordered"
            orders = OrderDocument.all(report)
        case .notices(let lines):
            type = "notices"
            notices = lines
        case .listening(let how):
            type = "listening"
            method = how
        case .lost(let problem, let delay):
            type = "lost"
            message = problem.message
            retrySeconds = delay.components.seconds
        }
    }
}

/// The same for the task folder, `opus.watch/1`.
public struct TaskWatchDocument: Encodable, Sendable {
    var schema = "opus.watch/1"
    var type: String
    var time: String
    var tasks: [String]?
    var malformedTasks: [String]?
    var runs: [RunDocument.Item]?
    var message: String?

    public init(_ event: TaskWatchEvent, time: String) {
        self.time = time
        switch event {
        case .followed(let report):
            type = "followed"
            tasks = report.lines + report.held
            malformedTasks = report.malformed
            runs = report.runs.filter { !$0.didNothing }.map(RunDocument.Item.init)
        case .stopped(let problem):
            type = "stopped"
            message = problem.message
        }
    }
}
