public import Models

/// The result of one run.
public struct RunReport: Sendable {
    public var account: AccountID
    /// nil if there was nothing to queue.
    public var run: RunID?
    /// The part of the run that was queued.
    var part: RunID?
    public var queued = 0
    /// The existing task, because of which the run made none.
    public var present: TodoID?
    /// That task is done or cancelled.
    public var isPresentClosed = false
    public var drain = DrainReport()
    /// The lines of `notify` in rules. They contain text of senders.
    public var notices: [String] = []
    /// The number of messages that the account did not return, so that nothing was done with them.
    public var unread = 0

    public init(account: AccountID) { self.account = account }

    /// The exit code of the command for this account.
    public var exit: ExitStatus {
        switch drain.halt {
        case .loginRefused: .loginRefused
        case .offline: .temporary
        case .lost, nil: drain.failures.isEmpty && unread == 0 ? .done : .someFailed
        }
    }

    public var didNothing: Bool {
        queued == 0 && drain.confirmed.isEmpty && drain.failures.isEmpty && notices.isEmpty
    }
}
