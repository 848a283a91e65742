import MailStore
public import Models

/// Earlier runs, as the journal has them.
public struct RunLine: Sendable {
    public var id: RunID
    public var account: AccountID
    public var started: Timestamp
    public var command: String
    public var confirmed: Int
    public var open: Int
    public var failed: Int
    /// The run that it undid.
    public var undoes: RunID?
}

extension RunLine {
    init(_ summary: RunSummary) {
        let count = { (states: [Step.State]) in states.reduce(0) { $0 + (summary.states[$1] ?? 0) } }
        self.init(
            id: summary.id, account: summary.account, started: summary.startedAt, command: summary.command,
            confirmed: count([.confirmed]), open: count([.planned, .ready, .issued, .unknown, .reconciling]),
            failed: count([.rejected, .needsDecision, .cancelled]), undoes: summary.undoes)
    }
}
