public import Models

/// How a repeating task continues when one occurrence of it is done: on the next day of its series, or not at all.
///
/// The same task moves on, as in Tasks.org and Nextcloud: every client then shows one open task with its next date.
/// The days are those of RRULE and RDATE without those of EXDATE, counted from the task's own day (DTSTART, else
/// DUE). The trap: moving the start moves what the rule counts from, so COUNT is made less, and a day of RDATE that the
/// rule does not know is refused rather than made the beginning of another series. RFC 5545 §3.8.5.
public enum TodoSeries {
    public enum Outcome: Hashable, Sendable {
        case next(TodoRoll)
        /// This was the last one.
        case over
    }

    /// Whether the task repeats at all.
    public static func isOne(_ todo: Todo) -> Bool { todo.recurrence != nil || !todo.addedDates.isEmpty }

    /// The days of the series from the task's own day on, in order; empty for a task that does not repeat, or
    /// whose rule is none that we expand.
    public static func occurrences(of todo: Todo, limit: Int) -> [TodoDate] {
        guard isOne(todo), let place = todo.start ?? todo.due else { return [] }
        let excluded = readings(todo.excludedDates, like: place)
        var days = [place]
        if let text = todo.recurrence {
            guard let rule = try? Recurrence(text) else { return [] }
            days = rule.occurrences(from: place, limit: limit + todo.excludedDates.count)
        }
        days += todo.addedDates.compactMap { shaped($0, like: place) }.filter {
            reading($0) >= reading(place)
        }
        let sorted = days.filter { !excluded.contains(reading($0)) }
            .sorted { reading($0) < reading($1) }
        var last: Int64?
        return Array(
            sorted.filter { day in
                defer { last = reading(day) }
                return last != reading(day)
            }.prefix(limit))
    }

    /// What comes after the task's current occurrence.
    public static func next(after todo: Todo) -> TodoDate? {
        guard let place = todo.start ?? todo.due else { return nil }
        return occurrences(of: todo, limit: 2).first { reading($0) > reading(place) }
    }

    /// What completing a task means for its file: done, or, while it repeats, open on its next day.
    public static func completion(of todo: Todo) throws(TodoSeriesError) -> TodoPatch {
        guard isOne(todo), todo.isOpen else { return TodoPatch(status: .completed) }
        switch try outcome(of: todo) {
        case .over: return TodoPatch(status: .completed)
        case .next(let roll):
            var patch = TodoPatch()
            patch.roll = roll
            return patch
        }
    }

    public static func outcome(of todo: Todo) throws(TodoSeriesError) -> Outcome {
        guard let place = todo.start ?? todo.due else { throw .noDate }
        let excluded = readings(todo.excludedDates, like: place)
        let isLeft = { (date: TodoDate) in !excluded.contains(reading(date)) }
        let added = todo.addedDates.compactMap { shaped($0, like: place) }
            .filter { reading($0) > reading(place) && isLeft($0) }.min { reading($0) < reading($1) }
        guard let text = todo.recurrence else {
            return added.map { .next(roll(todo, from: place, to: $0, rule: nil)) } ?? .over
        }
        let rule: Recurrence
        do { rule = try Recurrence(text) } catch { throw .rule(error) }
        let limit = todo.excludedDates.count + 1
        let days = rule.occurrences(from: place, after: place, limit: limit)
        if let number = days.firstIndex(where: isLeft) {
            if let added, reading(added) < reading(days[number]) { throw .offRule(added) }
            let left = rule.count.map { max($0 - number - 1, 1) }
            return .next(
                roll(todo, from: place, to: days[number], rule: left.map { counted(text, $0) }))
        }
        guard rule.isOver(from: place, after: days.count) else { throw .unknown }
        // A rule that is over counts no further from there either.
        return added.map { .next(roll(todo, from: place, to: $0, rule: nil)) } ?? .over
    }

    private static func roll(
        _ todo: Todo, from place: TodoDate, to next: TodoDate, rule: String?
    ) -> TodoRoll {
        var roll = TodoRoll(from: place, to: next)
        let distance = reading(next) - reading(place)
        roll.start = todo.start.map { _ in next }
        roll.due = todo.start == nil ? next : todo.due.map { shifted($0, by: distance) }
        roll.rule = rule
        return roll
    }

    /// By wall clock: nine o'clock stays nine, whatever the clocks do between.
    private static func shifted(_ date: TodoDate, by seconds: Int64) -> TodoDate {
        switch date {
        case .date(let day): .date(CalendarDate(daysSinceEpoch: day.daysSinceEpoch + seconds / 86_400))
        case .instant(let instant): .instant(Timestamp(seconds: instant.seconds + seconds))
        case .local(let local, let zone):
            .local(LocalDateTime(secondsSinceEpoch: local.secondsSinceEpoch + seconds), zone: zone)
        }
    }

    /// A day of EXDATE or RDATE in the form of the series; a day beside times is that day at the series' time.
    private static func shaped(_ date: TodoDate, like form: TodoDate) -> TodoDate? {
        switch (form, date) {
        case (.date, _): .date(CalendarDates.day(date))
        case (.instant, .instant): date
        case (.instant, .local): ZoneClock.instant(date).map { .instant($0) }
        case (.instant(let instant), .date(let day)):
            .instant(
                Timestamp(
                    seconds: LocalDateTime(
                        date: day,
                        secondOfDay: Int(((instant.seconds % 86_400) + 86_400) % 86_400)
                    ).secondsSinceEpoch))
        case (.local(let local, let zone), .date(let day)):
            .local(
                LocalDateTime(
                    secondsSinceEpoch: local.secondsSinceEpoch
                        + (day.daysSinceEpoch - local.date.daysSinceEpoch) * 86_400), zone: zone)
        case (.local(_, zone: .some(let zone)), _):
            ZoneClock.instant(date).flatMap { ZoneClock.local(at: $0, in: zone) }.map {
                .local($0, zone: zone)
            }
        case (.local(_, zone: nil), .local(let local, zone: _)): .local(local, zone: nil)
        case (.local(_, zone: nil), .instant): nil
        }
    }

    /// In one form they are the same when they read the same.
    private static func readings(_ dates: [TodoDate], like form: TodoDate) -> Set<Int64> {
        Set(dates.compactMap { shaped($0, like: form) }.map(reading))
    }

    private static func counted(_ rule: String, _ count: Int) -> String {
        rule.split(separator: ";", omittingEmptySubsequences: false).map { part in
            part.uppercased().hasPrefix("COUNT=") ? "COUNT=\(count)" : String(part)
        }.joined(separator: ";")
    }

    private static func reading(_ date: TodoDate) -> Int64 {
        switch date {
        case .date(let day): day.daysSinceEpoch * 86_400
        case .instant(let instant): instant.seconds
        case .local(let local, zone: _): local.secondsSinceEpoch
        }
    }
}

/// Why the next day of a repeating task is not known.
public enum TodoSeriesError: Error, Hashable, Sendable, CustomStringConvertible {
    case noDate
    case rule(RecurrenceError)
    /// RDATE: a day that the rule does not have.
    case offRule(TodoDate)
    /// Not within the bounds of a search.
    case unknown

    public var description: String {
        switch self {
        case .noDate:
            "the task repeats, but has no date to continue from; complete it in the program that made it"
        case .rule(let error): "\(error); complete it in the program that made it"
        case .offRule(let date):
            "the next day, \(date.text), is an extra one (RDATE), not one of the repeat rule; complete it in "
                + "the program that made it"
        case .unknown:
            "the repeat rule names no day within \(Recurrence.Bounds.years) years; complete it in the program that "
                + "made it"
        }
    }
}
