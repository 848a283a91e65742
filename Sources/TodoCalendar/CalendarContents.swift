/// A component of a calendar file, and its meaning for a list of tasks.
public struct CalendarComponent: Hashable, Sendable {
    public enum Role: String, Hashable, Sendable, Codable {
        /// A task.
        case task
        /// A repeating task.
        case series
        /// One occurrence of a repeating task in the same file.
        case instance
        /// One occurrence of a repeating task in another file; opus leaves it alone.
        case lone
        /// An event, a note, free and busy times, or a component of another program; opus leaves it alone.
        case other
        /// The rules of a time zone.
        case zone
    }

    /// `VTODO`, `VEVENT`, …
    public var name: String
    public var role: Role
    /// The line of its BEGIN, from 1.
    public var line: Int
    public var uid: String?
    public var summary: String?
    /// STATUS, unchanged.
    public var status: String?
    /// The occurrence that an instance replaces.
    public var recurrenceID: String?

    /// Every direct component of the calendars in the file, in order.
    public static func all(_ bytes: [UInt8]) throws(CalendarError) -> [CalendarComponent] {
        let outline = try CalendarOutline(bytes)
        let tasks: [CalendarOutline.Task]
        do throws(CalendarError) {
            tasks = try outline.tasks()
        } catch {
            guard case .onlyEvents = error.code else { throw error }
            tasks = []
        }
        let masters = Set(tasks.filter { !$0.isInstance }.map(\.master))
        let instances = Set(tasks.filter { !$0.isInstance }.flatMap(\.instances))
        return outline.topLevel.map { index in
            let name = outline.components[index].name
            let role: Role =
                if masters.contains(index) {
                    outline.has("RRULE", in: index) || outline.has("RDATE", in: index) ? .series : .task
                } else if instances.contains(index) {
                    .instance
                } else {
                    name == "VTODO" ? .lone : name == "VTIMEZONE" ? .zone : .other
                }
            return CalendarComponent(
                name: name, role: role, line: outline.beginLine(of: index),
                uid: outline.value("UID", in: index) ?? outline.value("TZID", in: index),
                summary: outline.value("SUMMARY", in: index), status: outline.value("STATUS", in: index),
                recurrenceID: outline.value("RECURRENCE-ID", in: index))
        }
    }
}
