import CLibical
public import Models

/// Writes a new task file with libical. The same task and time give the same bytes.
///
/// `docs/tasks.md` explains how GTD maps to properties, and the form of each.
public enum VTodoWriter {
    public static let productID = "-//Magnum Opus//opus//EN"

    public static func new(_ todo: Todo, now: Timestamp) throws(CalendarError) -> [UInt8] {
        try written(todo, now: now).bytes
    }

    /// The bytes, and the task as they read.
    public static func written(
        _ todo: Todo, now: Timestamp
    ) throws(CalendarError) -> (bytes: [UInt8], todo: Todo) {
        if let rule = todo.recurrence, (try? Recurrence(rule)) == nil { throw CalendarError(.badRule) }
        let text = Libical.run { () -> String? in
            guard let calendar = icalcomponent_new(ICAL_VCALENDAR_COMPONENT) else { return nil }
            defer { icalcomponent_free(calendar) }
            icalcomponent_add_property(calendar, icalproperty_new_version("2.0"))
            icalcomponent_add_property(calendar, icalproperty_new_prodid(productID))
            for zone in zones(of: todo) { icalcomponent_add_component(calendar, zone) }
            icalcomponent_add_component(calendar, component(todo, now: now))
            return Libical.take(icalcomponent_as_ical_string_r(calendar))
        }
        guard let text else { throw CalendarError(.wouldDamage) }
        let bytes = Array(WrittenLines.usual(text).utf8)
        let read = try VTodoReader.read(bytes, list: todo.list).todo
        guard read.id == todo.id else { throw CalendarError(.badUID) }
        return (bytes, read)
    }

    /// A repeating task keeps its clock: nine in Paris is nine in summer too. Its file defines the zone.
    private static func zones(of todo: Todo) -> [OpaquePointer] {
        let dates = Dates(todo)
        let written = [dates.start, dates.due].compactMap(\.self)
        return Set(written.compactMap { CalendarDates.tzid($0) }).sorted().compactMap { tzid in
            let days = written.map(CalendarDates.day)
            return VTimeZone.component(tzid, year: days.min()?.year ?? 1970)
        }
    }

    private static func component(_ todo: Todo, now: Timestamp) -> OpaquePointer? {
        let component = icalcomponent_new(ICAL_VTODO_COMPONENT)
        guard let component else { return nil }
        let dates = Dates(todo)
        for property in properties(todo, dates, now: now) {
            icalcomponent_add_property(component, property.make())
        }
        if let alarm = alarm(todo, dates) { icalcomponent_add_component(component, alarm) }
        return component
    }

    /// Properties with an empty value are left out: other programs drop them, or choke.
    private static func properties(_ todo: Todo, _ dates: Dates, now: Timestamp) -> [WrittenProperty] {
        let contexts = WrittenProperty.joined(todo.categories)
        var list: [WrittenProperty] = [
            .uid(todo.id), .stamp(now), .created(todo.created ?? now), .lastModified(now),
            .summary(WrittenProperty.shown(summary: todo.summary)),
            .description(notes(todo)), .url(todo.url ?? todo.messageID.map(MailLink.url) ?? ""),
        ]
        list += status(todo, now: now)
        if todo.priority > 0 { list.append(.priority(todo.priority)) }
        if let start = dates.start { list.append(.start(start)) }
        if let due = dates.due { list.append(.due(due)) }
        if let rule = todo.recurrence, dates.start != nil || dates.due != nil {
            list.append(.recurrence(rule))
        }
        if !contexts.isEmpty { list.append(.categories(todo.categories)) }
        list.append(.contact(todo.contact ?? ""))
        // The parent first: some programs take any RELATED-TO that comes first for it.
        if let parent = todo.parent { list.append(.parent(parent)) }
        list += todo.dependsOn.prefix(TodoRelation.most).map { .dependsOn($0) }
        list += [
            .own(name: "X-OPUS-MESSAGE-ID", value: todo.messageID?.rawValue ?? ""),
            .own(name: "X-OPUS-ACCOUNT", value: todo.account?.rawValue ?? ""),
            .own(name: "X-OPUS-RULE", value: todo.rule ?? ""),
            .own(name: "X-OPUS-CONTEXT", value: contexts),
            .own(name: "X-OPUS-TZ", value: dates.zone ?? ""),
            .own(name: "X-OPUS-WAITING-ON", value: todo.waitingOn ?? ""),
            .own(name: "X-OPUS-DELEGATED-MID", value: todo.delegatedMessageID?.rawValue ?? ""),
            .own(name: "X-OPUS-ON-REPLY", value: todo.onReply?.rawValue ?? ""),
        ]
        return list.filter { !$0.isEmptyText }
    }

    /// All three signs of a done task together. RFC 5545 §3.8.1.11, §3.8.2.1, §3.8.1.8.
    private static func status(_ todo: Todo, now: Timestamp) -> [WrittenProperty] {
        guard todo.isCompleted, todo.status != .cancelled else {
            let percent = todo.percentComplete ?? 0
            let isPartly = todo.status.isOpen && (1..<100).contains(percent)
            return [.status(todo.status)] + (isPartly ? [.percentComplete(percent)] : [])
        }
        return [.status(.completed), .completed(todo.completed ?? now), .percentComplete(100)]
    }

    /// The user's notes, then the link to the mail as the last line.
    static func notes(_ todo: Todo, maximumBytes: Int = CleanText.notesBytes) -> String {
        let notes = CleanText.lines(todo.notes, maximumBytes: maximumBytes)
        guard let mail = todo.messageID, MailLink.messageID(notes: notes) != mail else { return notes }
        let line = CleanText.line(MailLink.note(mail))
        return notes.isEmpty ? line : notes + "\n\n" + line
    }

    private static func alarm(_ todo: Todo, _ dates: Dates) -> OpaquePointer? {
        guard let seconds = todo.alarmSecondsBefore, (0...31_536_000).contains(seconds),
            dates.due != nil || dates.start != nil,
            let alarm = icalcomponent_new(ICAL_VALARM_COMPONENT)
        else { return nil }
        let alarmText = WrittenProperty.description(WrittenProperty.shown(summary: todo.summary))
        let trigger = icalproperty_new_trigger(icaltriggertype_from_int(Int32(-seconds)))
        if dates.due != nil, let trigger {
            icalproperty_add_parameter(trigger, icalparameter_new_related(ICAL_RELATED_END))
        }
        icalcomponent_add_property(alarm, icalproperty_new_action(ICAL_ACTION_DISPLAY))
        icalcomponent_add_property(alarm, alarmText.make())
        icalcomponent_add_property(alarm, trigger)
        return alarm
    }

    /// DUE and DTSTART as they are written: zoned times as UTC with the zone beside them, because a TZID
    /// needs its VTIMEZONE, and todoman rewrites it anyway. Only what repeats keeps its zone.
    private struct Dates {
        var due: TodoDate?
        var start: TodoDate?
        var zone: String?

        init(_ todo: Todo) {
            zone = todo.timeZone
            for date in [todo.due, todo.start] {
                if let date, let tzid = CalendarDates.tzid(date) { zone = zone ?? ZoneClock.name(of: tzid) }
            }
            due = todo.due.map { Self.written($0, todo) }
            start = todo.start.flatMap {
                StartBeforeDue.fitted(Self.written($0, todo), due: due, zone: zone)
            }
        }

        private static func written(_ date: TodoDate, _ todo: Todo) -> TodoDate {
            guard todo.recurrence != nil, case .local(let local, zone: .some(let tzid)) = date,
                let name = ZoneClock.name(of: tzid)
            else { return inUTC(date, zone: todo.timeZone) }
            return .local(local, zone: name)
        }

        private static func inUTC(_ date: TodoDate, zone: String?) -> TodoDate {
            switch date {
            case .date, .instant: return date
            case .local(let local, zone: let own):
                let instant = (own ?? zone).flatMap { ZoneClock.instant(of: local, in: $0) }
                return instant.map { .instant($0) } ?? .local(local, zone: nil)
            }
        }
    }
}

extension WrittenProperty {
    fileprivate var isEmptyText: Bool {
        switch self {
        case .summary(let text), .description(let text), .url(let text), .contact(let text),
            .own(name: _, value: let text):
            CleanText.line(text).isEmpty
        case .uid, .stamp, .created, .lastModified, .sequence, .status, .completed, .percentComplete,
            .priority,
            .due, .start, .recurrenceID, .categories, .parent, .dependsOn, .recurrence:
            false
        }
    }
}
