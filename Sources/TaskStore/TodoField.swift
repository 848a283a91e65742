import Models
import TodoCalendar

/// The parts of a task that two programs may change independently.
///
/// STATUS, COMPLETED and PERCENT-COMPLETE are one part, because they belong together.
public enum TodoField: String, CaseIterable, Codable, Hashable, Sendable {
    case list
    case summary
    case notes
    case status
    case start
    case due
    case priority
    case categories
    case contact
    case parent
    case dependsOn
    case url
    case alarm
    case recurrence
    /// Properties of opus: the mail, the account, the rule, and the person whose answer the task waits for.
    case mail

    /// Whether two versions have the same value; another form of the same time is equal.
    func isSame(_ a: Todo, _ b: Todo) -> Bool {
        switch self {
        case .list: a.list == b.list
        case .summary: a.summary == b.summary
        case .notes: a.notes == b.notes
        case .status:
            a.isCompleted == b.isCompleted && a.status.isOpen == b.status.isOpen
                && (a.isCompleted || a.status == b.status)
        case .start: ZoneClock.isSame(a.start, b.start)
        case .due: ZoneClock.isSame(a.due, b.due)
        case .priority: a.priority == b.priority
        case .categories: Self.folded(a.categories) == Self.folded(b.categories)
        case .contact: (a.contact ?? "") == (b.contact ?? "")
        case .parent: a.parent == b.parent
        case .dependsOn: Set(a.dependsOn) == Set(b.dependsOn)
        case .url: a.url == b.url
        case .alarm: a.alarmSecondsBefore == b.alarmSecondsBefore
        case .recurrence:
            a.recurrence == b.recurrence && a.doneInstances == b.doneInstances
                && a.excludedDates == b.excludedDates && a.addedDates == b.addedDates
        case .mail:
            a.messageID == b.messageID && a.account == b.account && a.rule == b.rule
                && a.waitingOn == b.waitingOn && a.delegatedMessageID == b.delegatedMessageID
                && a.onReply == b.onReply
        }
    }

    /// Whether the value and the unread parts of its lines are the same.
    func isUntouched(_ a: Todo, _ b: Todo) -> Bool {
        isSame(a, b) && properties.allSatisfy { a.unread?[$0] == b.unread?[$0] }
    }

    /// The properties whose lines a change of the field replaces or removes. Contexts and blockers are merged word by
    /// word.
    private var properties: [String] {
        switch self {
        case .summary: ["SUMMARY"]
        case .notes: ["DESCRIPTION"]
        case .status: ["STATUS", "COMPLETED", "PERCENT-COMPLETE"]
        case .start: ["DTSTART", "DURATION"]
        // A start has the same value type as the due date.
        case .due: ["DUE", "DURATION", "DTSTART"]
        case .priority: ["PRIORITY"]
        case .contact: ["CONTACT"]
        case .parent: ["RELATED-TO"]
        case .recurrence: ["RRULE"]
        case .list, .categories, .dependsOn, .url, .alarm, .mail: []
        }
    }

    func copy(from a: Todo, to b: inout Todo) {
        switch self {
        case .list: b.list = a.list
        case .summary: b.summary = a.summary
        case .notes: b.notes = a.notes
        case .status: (b.status, b.completed, b.percentComplete) = (a.status, a.completed, a.percentComplete)
        case .start: b.start = a.start
        case .due: b.due = a.due
        case .priority: b.priority = a.priority
        case .categories: b.categories = a.categories
        case .contact: b.contact = a.contact
        case .parent: b.parent = a.parent
        case .dependsOn: b.dependsOn = a.dependsOn
        case .url: b.url = a.url
        case .alarm: b.alarmSecondsBefore = a.alarmSecondsBefore
        case .recurrence:
            (b.recurrence, b.doneInstances) = (a.recurrence, a.doneInstances)
            (b.excludedDates, b.addedDates) = (a.excludedDates, a.addedDates)
        case .mail:
            (b.messageID, b.account, b.rule) = (a.messageID, a.account, a.rule)
            (b.waitingOn, b.delegatedMessageID) = (a.waitingOn, a.delegatedMessageID)
            b.onReply = a.onReply
        }
    }

    /// The value as text for display; nil: no value.
    func text(of todo: Todo) -> String? {
        switch self {
        case .list: todo.list.rawValue
        case .summary: todo.summary
        case .notes: todo.notes.isEmpty ? nil : todo.notes
        case .status: todo.isCompleted ? TodoStatus.completed.rawValue : todo.status.rawValue
        case .start: todo.start?.text
        case .due: todo.due?.text
        case .priority: todo.priority == 0 ? nil : "\(todo.priority)"
        case .categories: todo.categories.isEmpty ? nil : todo.categories.joined(separator: ", ")
        case .contact: todo.contact
        case .parent: todo.parent?.rawValue
        case .dependsOn:
            todo.dependsOn.isEmpty ? nil : todo.dependsOn.map(\.rawValue).joined(separator: ", ")
        case .url: todo.url
        case .alarm: todo.alarmSecondsBefore.map { "\($0)" }
        case .recurrence: todo.recurrence
        case .mail: todo.messageID?.rawValue
        }
    }

    static func folded(_ words: [String]) -> Set<String> { Set(words.map { $0.lowercased() }) }
}
