/// The program that syncs the task folder with a calendar server, and how often `opus watch` starts it.
public struct TaskSyncSettings: Hashable, Sendable {
    /// A program and its arguments.
    public var command: [String]
    /// In seconds; nil: only after changes.
    public var period: Int?

    /// Short enough that an edit on a phone moves the mail within a minute.
    public static let usualPeriod = 45

    public init(command: [String], period: Int? = usualPeriod) {
        self.command = command
        self.period = period
    }
}
