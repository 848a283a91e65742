public import Inspection
public import Models
public import Pipeline

/// `opus.task/1`: one task, from the task folder or any file. The items of `opus.tasks/1` have the same
/// fields.
///
/// Texts are those of the file; the code that prints them escapes them. Times are RFC 3339 with offset, dates
/// have no time.
public struct TaskDocument: Encodable, Sendable {
    struct Fields: Encodable, Sendable {
        /// The short id; nil for a file outside the task folder.
        var id: String?
        var uid: String
        var list: String
        var summary: String
        var notes: String
        /// `open`, `in-process`, `completed`, `cancelled`.
        var status: String
        var percentComplete: Int?
        var completed: String?
        var priority: Int
        var due: String?
        var start: String?
        var categories: [String]
        var contact: String?
        var url: String?
        var alarmSecondsBefore: Int?
        var parent: String?
        var dependsOn: [String]
        /// The recurrence rule of a repeating task, as in the file.
        var recurrence: String?
        var created: String?
        var messageID: String?
        var account: String?
        var rule: String?
        var timeZone: String?
        var waitingOn: String?
        var delegatedMessageID: String?
        /// `decide`, `close`, `keep`.
        var onReply: String?
        /// The state of its wait; only if the command computes it.
        var wait: WaitFields?
        var path: String

        init(_ file: TodoFile, _ session: Session) {
            self.init(
                file.todo, id: TaskName.short(file.todo.id), path: session.tasks.path(of: file),
                zone: session.zone)
        }

        init(_ todo: Todo, id: String?, path: String, zone: ZoneClock) {
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
            onReply = todo.onReply?.rawValue
            self.path = path
        }
    }

    /// A component of a calendar file.
    struct Component: Encodable, Sendable {
        var line: Int
        var component: String
        /// `task`, `series`, `instance`, `lone`, `other`, `zone`.
        var role: String
        var uid: String?
        var summary: String?
        var status: String?
        var recurrenceID: String?
    }

    var schema = "opus.task/1"
    /// nil: the file has no task, or several.
    var task: Fields?
    // Of any file:
    var tasks: [Fields]?
    var components: [Component]?
    // Of a task in the folder:
    var isAvailable: Bool?
    var blockedBy: [String]?
    var mails: [MessagesDocument.Item]?
    var isMailGone: Bool?
    /// The next date in the series of a repeating task.
    var nextOccurrence: String?

    /// A task from any file. Its times are in UTC.
    public init(_ file: TaskInspection) {
        let fields = file.tasks.map {
            Fields($0.todo, id: nil, path: file.file, zone: ZoneClock(zone: "UTC"))
        }
        task = fields.count == 1 ? fields[0] : nil
        tasks = fields
        components = file.components.map {
            Component(
                line: $0.line, component: $0.name, role: $0.role.rawValue, uid: $0.uid, summary: $0.summary,
                status: $0.status, recurrenceID: $0.recurrenceID)
        }
    }

    /// A task in the folder, with its mails.
    public init(
        _ file: TodoFile, _ board: TaskBoard, _ mails: [MessageLine], isMailGone: Bool, _ wait: Wait?,
        _ session: Session
    ) {
        var fields = Fields(file, session)
        fields.wait = wait.map { WaitFields($0, session.zone) }
        task = fields
        isAvailable = board.isAvailable(file.todo)
        blockedBy = board.blockers(of: file.todo).map(\.id.rawValue)
        self.mails = mails.map { MessagesDocument.Item($0, zone: session.zone) }
        self.isMailGone = isMailGone
        nextOccurrence = session.taskChanges.nextOccurrence(of: file.todo).map { Self.text($0, session.zone) }
    }

    /// The state of a task as a keyword.
    public static func status(_ todo: Todo) -> String {
        if todo.status == .cancelled { return "cancelled" }
        if todo.isCompleted { return "completed" }
        return todo.status == .inProcess ? "in-process" : "open"
    }

    /// RFC 3339, a date without a time, or a local time without an offset.
    static func text(_ date: TodoDate, _ zone: ZoneClock) -> String {
        switch date {
        case .date(let day): day.description
        case .instant(let time): zone.rfc3339(time)
        case .local(let local, zone: _): "\(local.date)T\(local.clock)"
        }
    }
}
