import CLibical
public import Models

/// The answer to an invitation, written by libical. RFC 5546 §3.2.3.
public struct InvitationReply: Sendable {
    let invitation: Invitation
    /// The invited address, which is the user's own.
    let attendee: EmailAddress
    let organizer: EmailAddress
    let answer: InvitationAnswer
    let note: String
    let now: Timestamp

    public init(
        to invitation: Invitation, organizer: EmailAddress, from attendee: EmailAddress,
        _ answer: InvitationAnswer,
        note: String = "", now: Timestamp
    ) {
        self.invitation = invitation
        self.organizer = organizer
        self.attendee = attendee
        self.answer = answer
        self.note = note
        self.now = now
    }

    /// The calendar with one event, one attendee and `METHOD:REPLY`; nil: libical is out of memory.
    public func text() -> String? {
        Libical.run {
            guard let calendar = icalcomponent_new(ICAL_VCALENDAR_COMPONENT) else { return nil }
            defer { icalcomponent_free(calendar) }
            icalcomponent_add_property(calendar, icalproperty_new_version("2.0"))
            icalcomponent_add_property(calendar, icalproperty_new_prodid("-//Magnum Opus//opus//EN"))
            icalcomponent_add_property(calendar, icalproperty_new_method(ICAL_METHOD_REPLY))
            icalcomponent_add_component(calendar, event())
            return Libical.take(icalcomponent_as_ical_string_r(calendar))
        }
    }

    private func event() -> OpaquePointer? {
        let event = icalcomponent_new(ICAL_VEVENT_COMPONENT)
        let add = { (property: OpaquePointer?) in
            if let property { icalcomponent_add_property(event, property) }
        }
        add(icalproperty_new_uid(CleanText.line(invitation.uid)))
        add(icalproperty_new_dtstamp(CalendarDates.time(now)))
        add(icalproperty_new_sequence(Int32(clamping: invitation.sequence)))
        if let date = invitation.recurrence {
            let property = icalproperty_new_recurrenceid(CalendarDates.time(date))
            if case .local = date, let property, let zone = invitation.unknownZone {
                icalproperty_add_parameter(property, icalparameter_new_tzid(zone))
            }
            add(property)
        }
        // A time without its zone would be another time for the organizer; the reply need not have one.
        if invitation.unknownZone == nil {
            if let start = invitation.start { add(icalproperty_new_dtstart(CalendarDates.time(start))) }
            if let end = invitation.end, end != invitation.start {
                add(icalproperty_new_dtend(CalendarDates.time(end)))
            }
        }
        add(icalproperty_new_summary(CleanText.line(invitation.summary)))
        add(named(icalproperty_new_organizer("mailto:" + organizer.addrSpec), organizer))
        let person = named(icalproperty_new_attendee("mailto:" + attendee.addrSpec), attendee)
        if let person { icalproperty_add_parameter(person, icalparameter_new_partstat(status)) }
        add(person)
        if !note.isEmpty { add(icalproperty_new_comment(CleanText.lines(note, maximumBytes: 8_000))) }
        return event
    }

    /// A name goes into a parameter, which cannot hold quotes or control characters.
    private func named(_ property: OpaquePointer?, _ address: EmailAddress) -> OpaquePointer? {
        let name = CleanText.line(address.displayName.filter { $0 != "\"" }, maximumBytes: 200)
        if let property, !name.isEmpty { icalproperty_add_parameter(property, icalparameter_new_cn(name)) }
        return property
    }

    private var status: icalparameter_partstat {
        switch answer {
        case .yes: ICAL_PARTSTAT_ACCEPTED
        case .no: ICAL_PARTSTAT_DECLINED
        case .maybe: ICAL_PARTSTAT_TENTATIVE
        }
    }
}
