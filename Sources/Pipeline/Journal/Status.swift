import MailStore
public import Models

/// A step that is not done, with the run that asked for it.
public struct UnfinishedStep: Sendable {
    public var run: RunID
    /// When it was queued.
    public var queuedAt: Timestamp
    public var step: Step
}

/// How an account stands: what waits and why, what a person must decide, what was refused lately.
public struct AccountStatus: Sendable {
    public var account: AccountID
    /// nil: never.
    public var lastSync: Timestamp?
    /// Tried again by themselves when they are due.
    public var waiting: [UnfinishedStep] = []
    /// Nothing of them happens before a person says so.
    public var needsWord: [UnfinishedStep] = []
    /// Refused for good in the last days; the store shows the mail as it was.
    public var refused: [UnfinishedStep] = []
    /// Runs in whose middle opus ended: the next run asks whether to do the rest.
    public var interrupted: [RunID] = []

    /// So long a refusal is shown. Seconds.
    static let refusedFor: Int64 = 7 * 86_400

    public var isClear: Bool { waiting.isEmpty && needsWord.isEmpty && refused.isEmpty }
}

extension Session {
    /// How the accounts asked for stand; and of all, a person's own changes of task files, where some are not done.
    public func statuses(named name: String?) throws -> [AccountStatus] {
        let asked = try accounts(named: name).map { try status(of: $0) }
        guard name == nil else { return asked }
        let own = try status(of: .tasks)
        return own.isClear ? asked : asked + [own]
    }

    public func status(of id: AccountID) throws -> AccountStatus {
        var status = AccountStatus(account: id, lastSync: try store.lastSync(of: id))
        let since = Timestamp(seconds: now.seconds - AccountStatus.refusedFor)
        status.interrupted = try store.interruptedRuns(of: id).map(\.run.id)
        for entry in try store.unfinished(of: id, refusedSince: since) {
            let entry = UnfinishedStep(run: entry.run, queuedAt: entry.queuedAt, step: entry.step)
            switch entry.step.state {
            case .ready: status.waiting.append(entry)
            case .issued, .unknown, .reconciling:
                status.waiting.append(entry)
                if !status.interrupted.contains(entry.run) { status.interrupted.append(entry.run) }
            case .planned, .needsDecision: status.needsWord.append(entry)
            case .rejected: status.refused.append(entry)
            case .confirmed, .cancelled: continue
            }
        }
        return status
    }
}
