import TodoCalendar

/// A component of a calendar file, and what it is to opus.
public struct FileComponent: Hashable, Sendable {
    /// `VTODO`, `VEVENT`, …
    public let name: String
    public let role: FileComponentRole
    /// 1-based.
    public let line: Int
    /// Of a time zone its name.
    public let uid: String?
    public let summary: String?
    /// STATUS as the file has it.
    public let status: String?
    /// The occurrence that an instance replaces, as the file has it.
    public let recurrenceID: String?

    init(_ component: CalendarComponent) {
        name = component.name
        role =
            switch component.role {
            case .task: .task
            case .series: .series
            case .instance: .instance
            case .lone: .lone
            case .other: .other
            case .zone: .zone
            }
        line = component.line
        uid = component.uid
        summary = component.summary
        status = component.status
        recurrenceID = component.recurrenceID
    }
}

public enum FileComponentRole: String, Hashable, Sendable {
    case task
    /// A repeating task.
    case series
    /// One occurrence of a repeating task of the same file.
    case instance
    /// One occurrence of a repeating task in another file.
    case lone
    /// No task.
    case other
    /// The rules of a time zone.
    case zone
}
