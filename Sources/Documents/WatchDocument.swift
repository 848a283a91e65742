public import Models
public import Pipeline

/// `opus.watch/1`, one object on each line.
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
    var seconds: Int64?
    var state: WatchStateItem?
    var plan: String?
    var details: [String]?

    public init(_ event: WatchEvent, account: AccountID, time: String) {
        self.account = account.rawValue
        self.time = time
        switch event {
        case .synced(let report):
            type = "synced"
            sync = SyncDocument.Account(report)
        case .delivered(let report, returned: _):
            type = "delivered"
            run = RunDocument.Item(report)
        case .applied(let report):
            type = "applied"
            run = RunDocument.Item(report)
        case .held(let held):
            type = "held"
            plan = held.plan
            message = held.reason
        case .kept(let reasons):
            type = "kept"
            details = reasons
        case .brokenRules(let problem):
            type = "broken-rules"
            message = problem.message
            details = problem.details
        case .newRules: type = "new-rules"
        case .state(let watch):
            type = "state"
            state = WatchStateItem(watch)
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
        case .silent(let length):
            type = "silent"
            seconds = length
        }
    }
}

/// The state of a watch of one account, in `opus.watch/1` and `opus.status/1`. Times are RFC 3339 in UTC.
struct WatchStateItem: Encodable, Sendable {
    var state: String
    var since: Timestamp
    var lastSync: Timestamp?
    var nextTry: Timestamp?
    var method: String?
    /// A code of docs/errors.md.
    var problem: String?
    var reason: String?
    var heldPlan: String?
    var heldBecause: String?
    var kept: [String]?

    init(_ watch: AccountWatch) {
        state = watch.phase.rawValue
        since = watch.since
        lastSync = watch.lastSync
        nextTry = watch.nextTry
        method = watch.method
        problem = watch.problem
        reason = watch.reason
        heldPlan = watch.heldPlan
        heldBecause = watch.heldBecause
        kept = watch.kept
    }
}

/// An event of the watch as a whole, in `opus.watch/1`.
public struct WatchNoteDocument: Encodable, Sendable {
    public enum Event: Sendable {
        case newSettings
        case brokenSettings([String])
        case ended(AccountID, Problem)
    }

    var schema = "opus.watch/1"
    var type: String
    var time: String
    var account: String?
    var message: String?
    var problem: String?
    var details: [String]?

    public init(_ event: Event, time: String) {
        self.time = time
        switch event {
        case .newSettings: type = "new-settings"
        case .brokenSettings(let lines):
            type = "broken-settings"
            message = "opus.yaml has errors; the earlier settings stay in force"
            details = lines
        case .ended(let id, let cause):
            type = "ended"
            account = id.rawValue
            message = cause.message
            problem = cause.code
        }
    }
}

/// An event of the task folder, in `opus.watch/1`.
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
        case .syncFailed(let problem):
            type = "sync-failed"
            message = problem.message
        case .syncRecovered: type = "sync-recovered"
        }
    }
}
