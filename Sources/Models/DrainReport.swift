/// The results of the open steps of an account.
public struct DrainReport: Sendable {
    /// Steps that are done now, also those that were already so.
    public var confirmed: [Step] = []
    /// How many of them were already done: nothing was changed.
    public var alreadyDone = 0
    /// Those, by their rows in the journal.
    public var unchanged: Set<Int64> = []
    /// Steps that were refused for good, or whose message is no longer there.
    public var rejected: [Step] = []
    /// Steps that wait because something went wrong: tried again when they are due.
    public var waiting: [Step] = []
    /// Steps whose time has not come, or that the user has not confirmed yet, and the steps that follow them.
    public var later: [Step] = []
    /// Steps of which opus cannot tell whether they happened; shown, never repeated on their own.
    public var undecided: [Step] = []
    /// Why the drain ended before its end.
    public var interruption: String?
    /// What the end of the drain means for the command; nil: it came to its end.
    public var halt: Halt?

    /// Why an account's queue is stopped.
    public enum Halt: String, Sendable {
        /// The connection broke in the middle.
        case lost
        /// The account could not be reached at all: everything waits, and nothing was tried.
        case offline
        /// The server refused the login: nothing more is tried before a person changes something.
        case loginRefused
    }

    public init() {}

    /// What was done: the confirmed steps that were not already done.
    public var done: [Step] { confirmed.filter { step in step.id.map { !unchanged.contains($0) } ?? true } }

    /// Tasks that were to be written and whose file was there before.
    public var tasksFound: Int {
        confirmed.count { step in
            guard let id = step.id, unchanged.contains(id), case .createTodo = step.kind else { return false }
            return true
        }
    }

    public var failures: [Step] { rejected + waiting + undecided }

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
    }
}
