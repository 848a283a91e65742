import Models

/// The result of edited task files.
public struct FollowReport: Sendable {
    /// One line for each change by the user.
    public var lines: [String] = []
    /// `path:line: reason` of files that cannot be read; they are left untouched.
    public var malformed: [String] = []
    public var runs: [RunReport] = []
    /// What was not done because the user could not be asked. The next run finds it again.
    public var held: [String] = []
    /// Deferred messages that came back.
    public var returned: [ReturnedMail] = []
    /// The titles of tasks whose question a person answered, and of those whose answer is late since now.
    public var answered: [String] = []
    public var overdue: [String] = []
    /// Whether too much mail would have moved at once, so that nothing was done.
    public var isBraked = false

    /// Whether no file changed and nothing was carried out.
    public var isQuiet: Bool { lines.isEmpty && runs.allSatisfy(\.didNothing) }
}
