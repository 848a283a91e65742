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
    /// The run that it took back.
    public var undoes: RunID?
}

extension Session {
    public func runs(limit: Int) throws -> [RunLine] { try store.runs(limit: limit).map(Self.line) }

    /// Whether rules, or a person, were let at the mail before.
    public func hasRunOnMail() throws -> Bool {
        try store.runs(limit: 1_000).contains { $0.account != .tasks }
    }

    /// A run and its steps in journal order.
    public func run(_ typed: String) throws -> (line: RunLine, steps: [Step]) {
        let digits = typed.hasPrefix("r:") ? String(typed.dropFirst(2)) : typed
        guard let number = Int64(digits) else {
            throw Problem(
                "bad-id", exit: .usage, message: "\"\(typed)\" is no run id",
                next: ["ids look like r:0012 (opus runs)"])
        }
        guard let detail = try store.run(RunID(rawValue: number)) else {
            throw Problem(
                "no-such-run", exit: .notFound, message: "there is no run \(RunID(rawValue: number))",
                next: ["opus runs"])
        }
        return (Self.line(detail.summary), detail.steps)
    }

    static func line(_ summary: RunSummary) -> RunLine {
        let count = { (states: [Step.State]) in states.reduce(0) { $0 + (summary.states[$1] ?? 0) } }
        return RunLine(
            id: summary.id, account: summary.account, started: summary.startedAt, command: summary.command,
            confirmed: count([.confirmed]), open: count([.planned, .ready, .issued, .unknown, .reconciling]),
            failed: count([.rejected, .needsDecision, .cancelled]), undoes: summary.undoes)
    }
}
