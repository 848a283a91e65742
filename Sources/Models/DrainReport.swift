/// What became of the open steps of an account.
public struct DrainReport: Sendable {
    /// Steps that are done now, also those that were already so.
    public var confirmed: [Step] = []
    /// Steps that were refused for good, or whose message is not there any more.
    public var rejected: [Step] = []
    /// Steps that wait: tried again with the next run.
    public var waiting: [Step] = []
    /// Steps of which nobody can tell; shown, never repeated by themselves.
    public var undecided: [Step] = []
    /// Why the drain ended before its end.
    public var interruption: String?

    public init() {}

    public var failures: [Step] { rejected + waiting + undecided }

    public mutating func add(_ other: DrainReport) {
        confirmed += other.confirmed
        rejected += other.rejected
        waiting += other.waiting
        undecided += other.undecided
        interruption = interruption ?? other.interruption
    }
}
