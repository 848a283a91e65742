import Models

/// The results of edited task files.
public struct FollowReport: Sendable {
    /// One line for each change by the user.
    public var lines: [String] = []
    /// `path:line: reason` of files that cannot be read; they are left untouched.
    public var malformed: [String] = []
    public var runs: [RunReport] = []
    /// Actions that were held because the user could not be asked. The next run finds them again.
    public var held: [String] = []
    /// Deferred messages that came back.
    public var returned: [ReturnedMail] = []
    /// The titles of tasks whose question was answered, and of tasks whose answer is now overdue.
    public var answered: [String] = []
    public var overdue: [String] = []
    /// Whether nothing was done because too much mail would have been moved at once.
    public var isBraked = false

    public init() {}

    mutating func add(_ other: FollowReport) {
        lines += other.lines
        runs += other.runs
        answered += other.answered
        overdue += other.overdue
    }

    /// Whether no file changed and no step was executed.
    public var isQuiet: Bool { lines.isEmpty && runs.allSatisfy(\.didNothing) }
}
