public import Models

/// A message that a rule passes on or copies, and that the account did not return as a whole.
public struct UnreadMessage: Hashable, Sendable {
    public var message: EmailID
    public var subject: String
    /// The rule that needs it.
    public var rule: String
    public var reason: String
    /// Whether this run found out; false: an earlier one did, and it is tried again later.
    public var isNew: Bool
}

/// The result of one run.
public struct RunReport: Sendable {
    public var account: AccountID
    /// nil if there was nothing to queue.
    public var run: RunID?
    /// The part of the run that was queued.
    var part: RunID?
    public var queued = 0
    /// The steps that the run queued, by their rows in the journal.
    var own: Set<Int64> = []
    /// The existing task, because of which the run made none.
    public var present: TodoID?
    /// That task is done or cancelled.
    public var isPresentClosed = false
    public var drain = DrainReport()
    /// The lines of `notify` in rules. They contain text of senders.
    public var notices: [String] = []
    /// Messages that the account did not return as a whole, so that nothing was done with them.
    public var unread: [UnreadMessage] = []

    public init(account: AccountID) { self.account = account }

    /// The exit code of the command for this account.
    public var exit: ExitStatus {
        switch drain.halt {
        case .loginRefused: .loginRefused
        case .offline: .temporary
        case .lost, nil:
            if drain.refusedSending != nil {
                .loginRefused
            } else {
                drain.failures.isEmpty && !unread.contains(where: \.isNew) ? .done : .someFailed
            }
        }
    }

    public var didNothing: Bool {
        queued == 0 && drain.confirmed.isEmpty && drain.failures.isEmpty && notices.isEmpty
    }
}
