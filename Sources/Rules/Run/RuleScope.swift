import Models

/// When and where a rule is in force, apart from its conditions.
struct RuleScope: Sendable {
    /// Names, roles or globs; empty: the inbox in triage, and every mailbox if the user names a message. A glob does not
    /// include Drafts: what the user has not sent yet is not for rules.
    var mailboxes: [NameMatcher] = []
    /// The last day on which the rule is in force.
    var expires: CalendarDate?
    var schedule: Schedule?

    /// Whether it depends on the clock.
    var isTimed: Bool { expires != nil || schedule != nil }

    /// Those that may include the mailbox.
    func matchers(for mailbox: Mailbox) -> [NameMatcher] {
        mailbox.role == .drafts ? mailboxes.filter { !$0.isGlob } : mailboxes
    }

    /// Why the rule is not in force for this message now; nil: it is.
    func reason(against view: FactsView, rule: String) -> String? {
        if !mailboxes.isEmpty, !matchers(for: view.facts.mailbox).contains(where: { view.isIn($0) }) {
            return "not for the mailbox \(view.facts.mailbox.displayName)"
        }
        if let expires, view.zone.local(view.context.now).date > expires {
            return "not in force since \(expires)"
        }
        // A run in the future was recorded with a wrong clock.
        guard let schedule, let ran = view.context.timers[rule] else { return nil }
        let now = view.context.now
        guard ran <= now else { return nil }
        return schedule.isDue(now: now, ran: ran, zone: view.zone) ? nil : "not due before \(schedule.text)"
    }
}

/// The times at which a rule is due: `daily 07:00`, `weekdays 07:00`, `monday 07:00`, `mon,thu 18:00`.
///
/// If opus did not run at that time, the rule is due in the next run.
struct Schedule: Hashable, Sendable {
    let text: String
    /// 1 is Monday.
    let weekdays: Set<Int>
    let secondOfDay: Int

    init?(_ text: String) {
        let words = text.lowercased().split(separator: " ")
        guard words.count == 2, let second = DateTimeOfDay.parse(String(words[1])) else { return nil }
        switch words[0] {
        case "daily": weekdays = Set(1...7)
        case "weekdays": weekdays = Set(1...5)
        case let days:
            let found = days.split(separator: ",", omittingEmptySubsequences: false)
                .map { DateWords.weekday(String($0), anyLanguage: false) }
            guard !found.isEmpty, found.allSatisfy({ $0 != nil }) else { return nil }
            weekdays = Set(found.compactMap { $0 })
        }
        secondOfDay = second
        self.text = text
    }

    /// The first of these times after `now`.
    func next(after now: Timestamp, zone: Zone) -> Timestamp? {
        let today = zone.local(now).date
        return (0...7).lazy.compactMap { days -> Timestamp? in
            let day = today.adding(days: days)
            guard weekdays.contains(day.weekday) else { return nil }
            let time = zone.instant(LocalDateTime(date: day, secondOfDay: secondOfDay))
            return time > now ? time : nil
        }.first
    }

    /// Whether one of the times is after the last run, and not in the future.
    func isDue(now: Timestamp, ran: Timestamp, zone: Zone) -> Bool {
        let today = zone.local(now).date
        return (0...7).contains { daysAgo in
            let day = today.adding(days: -daysAgo)
            guard weekdays.contains(day.weekday) else { return false }
            let time = zone.instant(LocalDateTime(date: day, secondOfDay: secondOfDay))
            return time <= now && time > ran
        }
    }
}
