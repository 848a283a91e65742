import CLibical
import Models

/// EXDATE and RDATE: dates that a repeating task skips or adds to its rule. RFC 5545 §3.8.5.
enum SeriesDates {
    /// The most added or skipped dates. opus does not expand a series with more.
    static let most = 500

    static func add(_ outline: CalendarOutline, of todo: Int, to task: inout Todo) {
        for index in outline.ownLines(of: todo) {
            let line = outline.lines[index]
            switch line.name {
            case "EXDATE": task.excludedDates = read(line, outline, beside: task.excludedDates)
            case "RDATE": task.addedDates = read(line, outline, beside: task.addedDates)
            case _: continue
            }
        }
    }

    private static func read(
        _ line: ContentLine, _ outline: CalendarOutline, beside known: [TodoDate]
    ) -> [TodoDate] {
        let (parameters, value) = line.parts(in: outline.bytes)
        let zone = parameters.first { $0.name == "TZID" }?.value
        let texts = value.split(separator: ",").prefix(most - min(known.count, most))
        return known + Libical.run { texts.compactMap { date(String($0), zone: zone) } }
    }

    /// The day that a RECURRENCE-ID names, in the zone of its series.
    static func date(_ text: String, in todo: Todo) -> TodoDate? {
        let zone = (todo.start ?? todo.due).flatMap(CalendarDates.tzid)
        return Libical.run { date(text, zone: zone) }
    }

    /// `20260331`, `20260331T090000`, with `Z`; of a period its beginning.
    private static func date(_ text: String, zone: String?) -> TodoDate? {
        let text = text.split(separator: "/").first.map(String.init) ?? ""
        guard [8, 15, 16].contains(text.utf8.count) else { return nil }
        let time = icaltime_from_string(text)
        let isUTC = text.hasSuffix("Z")
        guard icaltime_is_null_time(time) == 0,
            let day = CalendarDate(year: Int(time.year), month: Int(time.month), day: Int(time.day))
        else { return nil }
        let form: TodoDate =
            text.utf8.count == 8
            ? .date(day)
            : isUTC
                ? .instant(Timestamp(seconds: 0))
                : .local(LocalDateTime(secondsSinceEpoch: 0), zone: zone)
        return CalendarDates.date(time, like: form)
    }
}
