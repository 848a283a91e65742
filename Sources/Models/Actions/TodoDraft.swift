/// A task to be made. It has no UID yet.
public struct TodoDraft: Hashable, Codable, Sendable {
    public var summary: String
    public var notes: String
    public var list: GTDList
    public var contexts: [String]
    public var due: TodoDate?
    public var start: TodoDate?
    public var priority: Int
    public var alarmSecondsBefore: Int?
    /// The person whose answer a task in the list `waiting` waits for.
    public var waitingOn: EmailAddress?

    public init(summary: String, list: GTDList = .next) {
        self.summary = summary
        self.list = list
        notes = ""
        contexts = []
        priority = 0
    }
}
