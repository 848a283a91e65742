import CLibical
public import Models

/// The event in the calendar part of a mail, as far as answers and rules need it. RFC 5545 §3.6.1, RFC 5546 §3.2.2.
///
/// As for tasks, opus finds the lines and limits them, and libical parses the few that are needed.
public struct Invitation: Hashable, Sendable {
    /// `METHOD` in upper case; empty: there is none. A request with `STATUS:CANCELLED`, which some programs send instead
    /// of a cancellation, counts as `CANCEL`.
    public var method = ""
    public var uid = ""
    public var sequence = 0
    public var summary = ""
    public var organizer: EmailAddress?
    public var attendees: [EmailAddress] = []
    /// The answer of the first attendee (`PARTSTAT`); nil: none, or unknown to opus.
    public var answer: InvitationAnswer?
    /// In UTC if its zone is known, otherwise as written.
    public var start: TodoDate?
    /// Exclusive.
    public var end: TodoDate?
    /// For one occurrence of a series: its original start.
    public var recurrence: TodoDate?
    /// The repeat rule of a series.
    public var rule: String?
    /// When the organizer wrote this version (`DTSTAMP`).
    public var stamp: Timestamp?
    /// The time zone of the start, if the system does not know it: then the start is as written, not the user's time.
    public var unknownZone: String?
    /// Whether the calendar has events of another UID, which are not read.
    public var hasOtherEvents = false
    /// The start as written: a series repeats at this time of its own zone.
    private var written: TodoDate?
    /// Whether there are dates that `rule` does not have: those of RDATE and of other components.
    private var hasOtherDates = false

    /// Limits for a stranger's calendar.
    enum Bounds {
        static let attendees = 500
        static let lineBytes = 4_096
    }

    /// - Throws: ``CalendarError`` if it is not a calendar, or has no event.
    public static func read(_ bytes: [UInt8]) throws(CalendarError) -> Invitation {
        let outline = try CalendarOutline(bytes)
        let events = outline.components.indices.filter { outline.components[$0].name == "VEVENT" }
        guard let event = events.first(where: { !outline.has("RECURRENCE-ID", in: $0) }) ?? events.first
        else { throw CalendarError(.noEvent, line: 1) }
        var invitation = Invitation()
        if let root = outline.components.indices.first, let line = outline.line("METHOD", in: root) {
            invitation.method = String(outline.lines[line].plainValue(in: bytes).uppercased().prefix(32))
        }
        let names = events.compactMap { outline.line("UID", in: $0) }.map {
            outline.lines[$0].unfolded(in: bytes).filter { $0 != 0x0D && $0 != 0x0A }
        }
        invitation.hasOtherEvents = Set(names).count > 1
        invitation.hasOtherDates = events.count > 1 || outline.has("RDATE", in: event)
        let isRead = Libical.run { invitation.take(outline, event) }
        guard isRead, !invitation.uid.isEmpty else {
            throw CalendarError(.noUID, line: outline.beginLine(of: event))
        }
        return invitation
    }

    private static let names: Set<String> = [
        "UID", "SEQUENCE", "SUMMARY", "ORGANIZER", "ATTENDEE", "DTSTART", "DTEND", "DURATION",
        "RECURRENCE-ID", "RRULE", "STATUS", "DTSTAMP",
    ]

    /// False: libical cannot read the lines.
    private mutating func take(_ outline: CalendarOutline, _ event: Int) -> Bool {
        var text = Array("BEGIN:VEVENT\r\n".utf8)
        var attendees = 0
        for index in outline.ownLines(of: event) {
            let line = outline.lines[index]
            guard Self.names.contains(line.name), line.range.count <= Bounds.lineBytes else { continue }
            if line.name == "ATTENDEE" {
                attendees += 1
                guard attendees <= Bounds.attendees else { continue }
            }
            text += line.unfolded(in: outline.bytes).lazy.filter { $0 != 0x0D && $0 != 0x0A }
            text += "\r\n".utf8
        }
        text += "END:VEVENT\r\n".utf8
        guard let component = Libical.parse(text) else { return false }
        defer { icalcomponent_free(component) }
        var duration: Int64?
        for property in Libical.properties(of: component) { take(property, &duration) }
        if end == nil, let start {
            end = duration.flatMap { start.adding(seconds: $0) } ?? start.usualEnd
        }
        return true
    }

    private mutating func take(_ property: OpaquePointer, _ duration: inout Int64?) {
        switch icalproperty_isa(property) {
        case ICAL_UID_PROPERTY: uid = Self.text(icalproperty_get_uid(property), 1_000)
        case ICAL_SUMMARY_PROPERTY: summary = Self.text(icalproperty_get_summary(property), 1_000)
        case ICAL_SEQUENCE_PROPERTY: sequence = max(0, Int(icalproperty_get_sequence(property)))
        case ICAL_DTSTART_PROPERTY:
            written = CalendarDates.date(of: property)
            start = written?.settled
            if case .local(_, zone: .some(let zone)) = written, case .local = start {
                unknownZone = CleanText.line(zone, maximumBytes: 200)
            }
        case ICAL_DTSTAMP_PROPERTY:
            if case .instant(let time) = CalendarDates.date(of: property) { stamp = time }
        case ICAL_DTEND_PROPERTY: end = CalendarDates.date(of: property)?.settled
        case ICAL_RECURRENCEID_PROPERTY: recurrence = CalendarDates.date(of: property)?.settled
        case ICAL_DURATION_PROPERTY:
            duration = Int64(icaldurationtype_as_int(icalproperty_get_duration(property)))
        case ICAL_STATUS_PROPERTY:
            if method == "REQUEST", icalproperty_get_status(property) == ICAL_STATUS_CANCELLED {
                method = "CANCEL"
            }
        case ICAL_RRULE_PROPERTY: rule = Libical.take(icalproperty_get_value_as_string_r(property))
        case ICAL_ORGANIZER_PROPERTY:
            organizer = organizer ?? Self.party(icalproperty_get_organizer(property), property)
        case ICAL_ATTENDEE_PROPERTY:
            if attendees.isEmpty { answer = Self.answer(of: property) }
            if let party = Self.party(icalproperty_get_attendee(property), property) {
                attendees.append(party)
            }
        case _: break
        }
    }

    private static func text(_ value: UnsafePointer<CChar>?, _ bytes: Int) -> String {
        value.map { CleanText.line(String(cString: $0), maximumBytes: bytes) } ?? ""
    }

    /// The address after `mailto:`; nil: anything but one plain address.
    private static func party(_ value: UnsafePointer<CChar>?, _ property: OpaquePointer) -> EmailAddress? {
        guard let value, case let text = String(cString: value), text.utf8.count <= 500,
            text.lowercased().hasPrefix("mailto:")
        else { return nil }
        let spec = text.dropFirst("mailto:".count)
        guard
            spec.unicodeScalars.allSatisfy({
                $0.value > 0x20 && $0.value != 0x7F && !"<>()[],;:\\\"?%&".unicodeScalars.contains($0)
            }), spec.filter({ $0 == "@" }).count == 1
        else { return nil }
        let name = Libical.take(icalproperty_get_parameter_as_string_r(property, "CN")) ?? ""
        return EmailAddress(
            String(spec), displayName: CleanText.line(name.filter { $0 != "\"" }, maximumBytes: 200))
    }

    private static func answer(of attendee: OpaquePointer) -> InvitationAnswer? {
        guard let status = icalproperty_get_first_parameter(attendee, ICAL_PARTSTAT_PARAMETER) else {
            return nil
        }
        return switch icalparameter_get_partstat(status) {
        case ICAL_PARTSTAT_ACCEPTED: .yes
        case ICAL_PARTSTAT_DECLINED: .no
        case ICAL_PARTSTAT_TENTATIVE: .maybe
        case _: nil
        }
    }

    // MARK: For rules

    /// nil: it has no start. Only a cancellation needs none (RFC 5546 §3.2.5).
    public var facts: EventFacts? {
        let method = EventFacts.Method(rawValue: method.lowercased()) ?? .other
        guard start != nil || method == .cancel else { return nil }
        return EventFacts(
            method: method, uid: uid, sequence: sequence, start: start,
            over: start.flatMap { over(start: $0) })
    }

    /// nil: it repeats without an end, or opus does not know its last date. A date that is too late does no harm.
    private func over(start: TodoDate) -> TodoDate? {
        guard !hasOtherDates else { return nil }
        let end = end ?? start.usualEnd
        // No two zones are further apart.
        let leeway: Int64 = unknownZone == nil ? 0 : 26 * 3_600
        guard let rule else { return end.adding(seconds: leeway) }
        guard let series = try? Recurrence(rule) else { return nil }
        let first = written ?? start
        let days = series.occurrences(from: first, limit: Recurrence.Bounds.steps)
        guard let last = days.last?.settled, series.isOver(from: first, after: days.count - 1) else {
            return nil
        }
        return last.adding(seconds: start.seconds(to: end) + leeway) ?? end
    }
}

extension TodoDate {
    /// A reading in a zone that the system knows becomes a point in time; in another one it stays a reading.
    fileprivate var settled: TodoDate {
        switch self {
        case .date, .instant, .local(_, zone: nil): self
        case .local(let local, zone: .some(let zone)):
            ZoneClock.instant(of: local, in: zone).map { .instant($0) } ?? .local(local, zone: nil)
        }
    }

    /// RFC 5545 §3.6.1: a day lasts a day, a time lasts no time.
    fileprivate var usualEnd: TodoDate {
        if case .date(let day) = self { return .date(day.adding(days: 1)) }
        return self
    }

    fileprivate func adding(seconds: Int64) -> TodoDate? {
        guard (0...(400 * 86_400)).contains(seconds) else { return nil }
        return switch self {
        case .date(let day): .date(day.adding(days: Int((seconds + 86_399) / 86_400)))
        case .instant(let time): .instant(time + seconds)
        case .local(let local, zone: let zone):
            .local(LocalDateTime(secondsSinceEpoch: local.secondsSinceEpoch + seconds), zone: zone)
        }
    }

    /// 0 for two dates of different forms.
    fileprivate func seconds(to end: TodoDate) -> Int64 {
        switch (self, end) {
        case (.date(let a), .date(let b)): (b.daysSinceEpoch - a.daysSinceEpoch) * 86_400
        case (.instant(let a), .instant(let b)): b - a
        case (.local(let a, _), .local(let b, _)): b.secondsSinceEpoch - a.secondsSinceEpoch
        case (.date, _), (.instant, _), (.local, _): 0
        }
    }
}
