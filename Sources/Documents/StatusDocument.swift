import Models
public import Pipeline

/// `opus.status/1`
public struct StatusDocument: Encodable, Sendable {
    struct Item: Encodable, Sendable {
        var account: String
        var lastSync: String?
        var waiting: [Entry]
        var needsWord: [Entry]
        var refused: [Entry]
        var interruptedRuns: [String]

        init(_ status: AccountStatus, zone: ZoneClock) {
            account = status.account.rawValue
            lastSync = status.lastSync.map { zone.rfc3339($0) }
            waiting = status.waiting.map { Entry($0.run, $0.step, zone) }
            needsWord = status.needsWord.map { Entry($0.run, $0.step, zone) }
            refused = status.refused.map { Entry($0.run, $0.step, zone) }
            interruptedRuns = status.interrupted.map(\.description)
        }
    }

    struct Entry: Encodable, Sendable {
        var run: String
        var step: RunDocument.StepItem
        var attempts: Int
        /// Not before then.
        var due: String?

        init(_ run: RunID, _ step: Step, _ zone: ZoneClock) {
            self.run = run.description
            self.step = RunDocument.StepItem(step)
            attempts = step.attempts
            due = step.dueAt.map { zone.rfc3339($0) }
        }
    }

    var schema = "opus.status/1"
    var items: [Item]
    /// Calendar files in the task folder that hold events and no task; they are left alone.
    var eventFiles: Int

    public init(_ accounts: [AccountStatus], eventFiles: Int, zone: ZoneClock) {
        self.eventFiles = eventFiles
        items = accounts.map { Item($0, zone: zone) }
    }
}
