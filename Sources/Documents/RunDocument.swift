import Models
public import Pipeline

/// `opus.run/1`
public struct RunDocument: Encodable, Sendable {
    struct Item: Encodable, Sendable {
        var account: String
        var run: String?
        var confirmed: Int
        /// The number of confirmed steps that were already done.
        var alreadySo: Int
        var waiting: Int
        var failed: Int
        var undecided: Int
        /// Steps that are scheduled or need confirmation.
        var later: Int
        var interruption: String?
        /// `lost`, `offline`, `login-refused`.
        var halt: String?
        /// Why the server for sending refused the login: only mail waits.
        var refusedSending: String?
        /// The existing task, because of which opus made none.
        var existingTask: String?
        /// Notices of rules.
        var notices: [String]?
        var steps: [StepItem]

        init(_ report: RunReport) {
            account = report.account.rawValue
            run = report.run?.description
            confirmed = report.drain.confirmed.count
            alreadySo = report.drain.alreadyDone
            waiting = report.drain.waiting.count
            failed = report.drain.rejected.count
            undecided = report.drain.undecided.count
            later = report.drain.later.count
            interruption = report.drain.interruption
            halt = report.drain.halt.map(StepName.halt)
            refusedSending = report.drain.refusedSending
            existingTask = report.present?.rawValue
            notices = report.notices.isEmpty ? nil : report.notices
            steps = (report.drain.confirmed + report.drain.failures).map(StepItem.init)
        }
    }

    struct StepItem: Encodable, Sendable {
        var kind: String
        var message: String?
        var rule: String
        var state: String
        var error: String?
        var evidence: String?
        /// The number of attempts; only in `opus.run-detail/1`, like the next two fields.
        var attempts: Int?
        /// The message of the conversation that the rule matched, if this one moved along with it.
        var alongWith: String?
        /// The run that undid it.
        var undoneBy: String?

        init(_ step: Step) {
            kind = StepName.kind(step.kind)
            message = step.message?.shown
            rule = step.cause.name
            state = StepName.state(step.state)
            error = step.reason
            evidence = step.proof?.sentence
        }
    }

    var schema = "opus.run/1"
    var items: [Item]

    public init(_ reports: [RunReport]) { items = reports.map(Item.init) }
}
