import MailStore
public import Models

/// An earlier run: everything that one command did.
public struct RunLine: Sendable {
    public var id: RunID
    /// In the order in which the command processed them.
    public var accounts: [AccountID]
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
            id: summary.id, accounts: summary.accounts, started: summary.startedAt, command: summary.command,
            confirmed: count([.confirmed]), open: count([.planned, .ready, .issued, .unknown, .reconciling]),
            failed: count([.rejected, .needsDecision, .cancelled]), undoes: summary.undoes)
    }
}
