public import Models
public import Pipeline

/// `opus.status/1`
public struct StatusDocument: Encodable, Sendable {
    struct Item: Encodable, Sendable {
        var account: String
        var lastSync: String?
        /// When the login of the account expires, if that is within three days.
        var loginEnds: String?
        var waiting: [Entry]
        var needsWord: [Entry]
        var refused: [Entry]
        var interruptedRuns: [String]
        /// Only while a watch is running.
        var watch: WatchStateItem?
        /// The number of seconds without a sync, if it is too large.
        var silentSeconds: Int64?

        init(_ status: AccountStatus, _ watchStatus: WatchStatus, zone: ZoneClock, now: Timestamp) {
            let record = watchStatus.isRunning ? watchStatus.record : nil
            let watched = record?.accounts.first { $0.account == status.account }
            watch = watched.map(WatchStateItem.init)
            silentSeconds = watched.flatMap { record?.silence(of: $0, at: now) }
            account = status.account.rawValue
            lastSync = status.lastSync.map { zone.rfc3339($0) }
            loginEnds = status.loginEnds.map { zone.rfc3339($0) }
            waiting = status.waiting.map { entry in
                var item = Entry(entry.run, entry.step, zone)
                item.wait = status.wait(of: entry, watchStatus, at: now).map { Wait($0, zone) }
                return item
            }
            needsWord = status.needsWord.map { Entry($0.run, $0.step, zone) }
            refused = status.refused.map { Entry($0.run, $0.step, zone) }
            interruptedRuns = status.interrupted.map(\.description)
        }
    }

    struct Entry: Encodable, Sendable {
        var run: String
        var step: RunDocument.StepItem
        var attempts: Int
        /// The earliest time of execution.
        var due: String?
        /// The account cannot be reached.
        var wait: Wait?

        init(_ run: RunID, _ step: Step, _ zone: ZoneClock) {
            self.run = run.description
            self.step = RunDocument.StepItem(step)
            attempts = step.attempts
            due = step.dueAt.map { zone.rfc3339($0) }
        }
    }

    /// Why nothing of the account is tried now.
    struct Wait: Encodable, Sendable {
        /// `lost`, `offline`, `login-refused`.
        var halt: String
        var reason: String
        var nextTry: String?

        init(_ wait: QueueWait, _ zone: ZoneClock) {
            halt = StepName.halt(wait.halt)
            reason = wait.reason
            nextTry = wait.nextTry.map { zone.rfc3339($0) }
        }
    }

    /// Bytes on the disk.
    struct Store: Encodable, Sendable {
        var bytes: Int64
        /// Of cached complete messages beside the store.
        var originals: Int64
    }

    struct Watch: Encodable, Sendable {
        var isRunning: Bool
        var process: Int32?
        var started: String?
        /// The watch ended unexpectedly.
        var endedEarly: Bool?
        /// The watch is running but does not answer; the states are the last ones that it wrote.
        var isSilent: Bool?
        /// Why rules or settings on disk are not in force.
        var setbacks: [String]?
    }

    var schema = "opus.status/1"
    var items: [Item]
    /// The number of calendar files in the task folder with events and without tasks; opus ignores them.
    var eventFiles: Int
    var store: Store
    var watch: Watch

    public init(
        _ accounts: [AccountStatus], _ status: WatchStatus, care: StoreCare, eventFiles: Int,
        zone: ZoneClock, now: Timestamp
    ) {
        store = Store(bytes: care.bytes, originals: care.originalBytes)
        self.eventFiles = eventFiles
        let record = status.isRunning ? status.record : nil
        items = accounts.map { Item($0, status, zone: zone, now: now) }
        watch = Watch(isRunning: status.isRunning)
        watch.process = record?.process
        watch.started = record.map { zone.rfc3339($0.started) }
        if status.isSilent { watch.isSilent = true }
        watch.setbacks = record?.setbacks
        if !status.isRunning, status.record != nil { watch.endedEarly = true }
    }
}
