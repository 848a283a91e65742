import TodoCalendar

/// A component of a calendar file, and its meaning for opus.
public struct FileComponent: Hashable, Sendable {
    /// `VTODO`, `VEVENT`, …
    public let name: String
    public let role: FileComponentRole
    /// From 1.
    public let line: Int
    /// For a time zone, its name.
    public let uid: String?
    public let summary: String?
    /// STATUS, unchanged.
    public let status: String?
    /// The occurrence that an instance replaces, unchanged.
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
    /// One occurrence of a repeating task in the same file.
    case instance
    /// One occurrence of a repeating task in another file.
    case lone
    /// Not a task.
    case other
    /// The rules of a time zone.
    case zone
}
