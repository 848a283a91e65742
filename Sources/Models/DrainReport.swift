/// What happened to the open steps of an account in one pass over its queue.
public struct DrainReport: Sendable {
    /// Steps that are done, including those that were already done.
    public var confirmed: [Step] = []
    /// The number of confirmed steps that changed nothing, because they were already done.
    public var alreadyDone = 0
    /// The journal rows of the confirmed steps that changed nothing.
    public var unchanged: Set<Int64> = []
    /// Steps that the server refused for good, or whose message is gone.
    public var rejected: [Step] = []
    /// Steps that failed for now. opus tries them again when they are due.
    public var waiting: [Step] = []
    /// Steps whose time has not come or that the user has not confirmed, and the steps that follow them.
    public var later: [Step] = []
    /// Steps that may or may not have happened: opus cannot tell. It shows them and never repeats them on its own.
    public var undecided: [Step] = []
    /// Why the pass ended early.
    public var interruption: String?
    /// What an early end means for the command; nil: the pass came to its end.
    public var halt: Halt?
    /// Why the server for sending refused the login; nil: it did not. Only mail waits then, and the pass continues.
    public var refusedSending: String?
    /// The rows of the waiting steps that were tried and failed.
    public var tried: Set<Int64> = []

    /// Why an account's queue is stopped.
    public enum Halt: String, Sendable {
        /// The connection broke during the pass.
        case lost
        /// opus could not reach the account: it tried nothing, and every step waits.
        case offline
        /// The server refused the login: opus tries nothing more until the user changes something.
        case loginRefused
    }

    public init() {}

    /// The confirmed steps that changed something.
    public var done: [Step] { confirmed.filter { step in step.id.map { !unchanged.contains($0) } ?? true } }

    /// The number of tasks to write whose file already existed.
    public var tasksFound: Int {
        confirmed.count { step in
            guard let id = step.id, unchanged.contains(id), case .createTodo = step.kind else { return false }
            return true
        }
    }

    public var failures: [Step] { rejected + waiting + undecided }

    /// Adds a later pass over the same queue. Steps that failed before and now wait for their time still count as failed.
    public mutating func `continue`(with next: DrainReport) {
        let later = Set(next.later.compactMap(\.id))
        let failed = waiting.filter { step in step.id.map(later.contains) ?? false }
        let ids = Set(failed.compactMap(\.id))
        waiting = next.waiting + failed
        self.later = next.later.filter { step in step.id.map { !ids.contains($0) } ?? true }
        confirmed += next.confirmed
        alreadyDone += next.alreadyDone
        unchanged.formUnion(next.unchanged)
        rejected += next.rejected
        undecided += next.undecided
        interruption = next.interruption
        halt = next.halt
        refusedSending = next.refusedSending ?? refusedSending
        tried.formUnion(next.tried)
    }

    public mutating func add(_ other: DrainReport) {
        confirmed += other.confirmed
        alreadyDone += other.alreadyDone
        unchanged.formUnion(other.unchanged)
        rejected += other.rejected
        waiting += other.waiting
        later += other.later
        undecided += other.undecided
        interruption = interruption ?? other.interruption
        halt = halt ?? other.halt
        refusedSending = refusedSending ?? other.refusedSending
        tried.formUnion(other.tried)
    }
}
