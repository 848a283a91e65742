import CLibical
import Models

/// A property and its value; libical writes the line. RFC 5545 §3.8.
///
/// The writer of new files and the patcher both use it, so that a task has the same form from both.
enum WrittenProperty: Equatable, Sendable {
    case uid(TodoID)
    /// DTSTAMP: the last revision, because there is no METHOD. RFC 5545 §3.8.7.2.
    case stamp(Timestamp)
    case created(Timestamp)
    case lastModified(Timestamp)
    case sequence(Int)
    case summary(String)
    case description(String)
    case url(String)
    case status(TodoStatus)
    case completed(Timestamp)
    case percentComplete(Int)
    case priority(Int)
    case due(TodoDate)
    case start(TodoDate)
    /// The occurrence of an instance.
    case recurrenceID(TodoDate)
    /// One line, and no value with a comma: todoman loses two lines, and libical loses the escape of a comma.
    case categories([String])
    case contact(String)
    case parent(TodoID)
    case dependsOn(TodoID)
    case recurrence(String)
    /// `X-OPUS-…`.
    case own(name: String, value: String)

    var name: String {
        switch self {
        case .uid: "UID"
        case .stamp: "DTSTAMP"
        case .created: "CREATED"
        case .lastModified: "LAST-MODIFIED"
        case .sequence: "SEQUENCE"
        case .summary: "SUMMARY"
        case .description: "DESCRIPTION"
        case .url: "URL"
        case .status: "STATUS"
        case .completed: "COMPLETED"
        case .percentComplete: "PERCENT-COMPLETE"
        case .priority: "PRIORITY"
        case .due: "DUE"
        case .start: "DTSTART"
        case .recurrenceID: "RECURRENCE-ID"
        case .categories: "CATEGORIES"
        case .contact: "CONTACT"
        case .parent, .dependsOn: "RELATED-TO"
        case .recurrence: "RRULE"
        case .own(let name, value: _): name
        }
    }

    /// A libical property; the caller frees it, or adds it to a component.
    func make() -> OpaquePointer? {
        switch self {
        case .uid(let id): icalproperty_new_uid(CleanText.line(id.rawValue))
        case .stamp(let time): icalproperty_new_dtstamp(CalendarDates.time(time))
        case .created(let time): icalproperty_new_created(CalendarDates.time(time))
        case .lastModified(let time): icalproperty_new_lastmodified(CalendarDates.time(time))
        case .sequence(let number): icalproperty_new_sequence(Int32(clamping: number))
        case .summary(let text): icalproperty_new_summary(CleanText.line(text))
        case .description(let text):
            icalproperty_new_description(
                CleanText.lines(text, maximumBytes: CalendarLimits.lineBytes))
        case .url(let text): icalproperty_new_url(CleanText.line(text))
        case .status(let status): icalproperty_new_status(Self.libical(status))
        case .completed(let time): icalproperty_new_completed(CalendarDates.time(time))
        case .percentComplete(let number): icalproperty_new_percentcomplete(Int32(clamping: number))
        case .priority(let number): icalproperty_new_priority(Int32(clamping: min(max(number, 0), 9)))
        case .due(let date): Self.zoned(icalproperty_new_due(CalendarDates.time(date)), date)
        case .start(let date): Self.zoned(icalproperty_new_dtstart(CalendarDates.time(date)), date)
        case .recurrenceID(let date):
            Self.zoned(icalproperty_new_recurrenceid(CalendarDates.time(date)), date)
        case .categories(let values): icalproperty_new_categories(Self.joined(values))
        case .contact(let text): icalproperty_new_contact(CleanText.line(text))
        case .parent(let id): TodoRelation.property(.parent, id)
        case .dependsOn(let id): TodoRelation.property(.dependsOn, id)
        case .recurrence(let rule): icalproperty_new_rrule(icalrecurrencetype_from_string(rule))
        case .own(let name, let value): Self.own(name, CleanText.line(value))
        }
    }

    /// The line, in the form of ``WrittenLines``.
    func render() -> String? {
        guard let property = make() else { return nil }
        defer { icalproperty_free(property) }
        return Libical.take(icalproperty_as_ical_string_r(property)).map(WrittenLines.usual)
    }

    /// The text after the colon in the rendered line, unfolded.
    func value() -> String? {
        guard let property = make() else { return nil }
        defer { icalproperty_free(property) }
        return Libical.take(icalproperty_get_value_as_string_r(property))
    }

    /// A task always has something to show in a list: an empty SUMMARY is dropped by other programs.
    static func shown(summary: String) -> String {
        let clean = CleanText.line(summary)
        return clean.isEmpty ? "(no subject)" : clean
    }

    /// Categories as one value: a comma inside one becomes a blank.
    static func joined(_ categories: [String]) -> String {
        var seen: Set<String> = []
        return categories.map { CleanText.line(String($0.map { $0 == "," ? " " : $0 }), maximumBytes: 200) }
            .filter { !$0.isEmpty && seen.insert($0.lowercased()).inserted }
            .prefix(100).joined(separator: ",")
    }

    private static func libical(_ status: TodoStatus) -> icalproperty_status {
        switch status {
        case .needsAction: ICAL_STATUS_NEEDSACTION
        case .inProcess: ICAL_STATUS_INPROCESS
        case .completed: ICAL_STATUS_COMPLETED
        case .cancelled: ICAL_STATUS_CANCELLED
        }
    }

    private static func zoned(_ property: OpaquePointer?, _ date: TodoDate) -> OpaquePointer? {
        if let property, let tzid = CalendarDates.tzid(date) {
            icalproperty_add_parameter(property, icalparameter_new_tzid(CleanText.line(tzid)))
        }
        return property
    }

    private static func own(_ name: String, _ value: String) -> OpaquePointer? {
        let property = icalproperty_new_x(value)
        if let property { icalproperty_set_x_name(property, name) }
        return property
    }
}
