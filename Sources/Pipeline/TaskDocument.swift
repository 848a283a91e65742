public import Models

/// One task in JSON: `opus.task/1`. The fields are also the items of `opus.tasks/1`.
///
/// Texts are as the file has them; whoever prints them escapes them. Times are RFC 3339 with offset, days are plain.
public struct TaskDocument: Encodable, Sendable {
    public struct Fields: Encodable, Sendable {
        /// The short id; nil for a file that is in no task folder.
        public var id: String?
        public var uid: String
        public var list: String
        public var summary: String
        public var notes: String
        /// `open`, `in-process`, `completed`, `cancelled`.
        public var status: String
        public var percentComplete: Int?
        public var completed: String?
        public var priority: Int
        public var due: String?
        public var start: String?
        public var categories: [String]
        public var contact: String?
        public var url: String?
        public var alarmSecondsBefore: Int?
        public var parent: String?
        public var dependsOn: [String]
        /// The rule of a repeating task, as the file has it.
        public var recurrence: String?
        public var created: String?
        public var messageID: String?
        public var account: String?
        public var rule: String?
        public var timeZone: String?
        public var waitingOn: String?
        public var delegatedMessageID: String?
        public var path: String

        public init(_ todo: Todo, id: String?, path: String, zone: ZoneClock) {
            self.id = id
            uid = todo.id.rawValue
            list = todo.list.rawValue
            summary = todo.summary
            notes = todo.notes
            status = TaskDocument.status(todo)
            percentComplete = todo.percentComplete
            completed = todo.completed.map(zone.rfc3339)
            priority = todo.priority
            due = todo.due.map { TaskDocument.text($0, zone) }
            start = todo.start.map { TaskDocument.text($0, zone) }
            categories = todo.categories
            contact = todo.contact
            url = todo.url
            alarmSecondsBefore = todo.alarmSecondsBefore
            parent = todo.parent?.rawValue
            dependsOn = todo.dependsOn.map(\.rawValue)
            recurrence = todo.recurrence
            created = todo.created.map(zone.rfc3339)
            messageID = todo.messageID?.rawValue
            account = todo.account?.rawValue
            rule = todo.rule
            timeZone = todo.timeZone
            waitingOn = todo.waitingOn
            delegatedMessageID = todo.delegatedMessageID?.rawValue
            self.path = path
        }
    }

    public var schema = "opus.task/1"
    public var task: Fields

    public init(_ fields: Fields) { task = fields }

    /// The states of a task in one word each.
    public static func status(_ todo: Todo) -> String {
        if todo.status == .cancelled { return "cancelled" }
        if todo.isCompleted { return "completed" }
        return todo.status == .inProcess ? "in-process" : "open"
    }

    /// RFC 3339, the plain day, or a reading without offset.
    public static func text(_ date: TodoDate, _ zone: ZoneClock) -> String {
        switch date {
        case .date(let day): day.description
        case .instant(let time): zone.rfc3339(time)
        case .local(let local, zone: _): "\(local.date)T\(local.clock)"
        }
    }
}
