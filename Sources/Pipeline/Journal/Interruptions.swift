import MailStore
public import Models

/// A run in whose middle opus ended, and what is left of it.
public struct InterruptedLine: Sendable {
    public var run: RunLine
    public var steps: [Step]
}

/// Runs that were interrupted: nothing more of them happens before a person says so, and they can be taken back.
extension Session {
    public func interruptedRuns(of account: AccountID) throws -> [InterruptedLine] {
        try store.interruptedRuns(of: account).map {
            InterruptedLine(run: Self.line($0.run), steps: $0.steps)
        }
    }

    /// Does what is left of the runs.
    public func finish(_ runs: [InterruptedLine], of account: AccountID) async throws -> RunReport {
        try store.release(runs.map(\.run.id))
        return try await deliver(account)
    }
}
