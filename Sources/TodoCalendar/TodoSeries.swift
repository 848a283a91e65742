public import Models

/// How a repeating task continues when one occurrence of it is done: on the next day of its series, or not at all.
///
/// The same task moves on, as in Tasks.org and Nextcloud: every client then shows one open task with its next date.
/// The days are those of RRULE and RDATE without those of EXDATE, counted from the task's own day (DTSTART, else
/// DUE). The trap: moving the start moves what the rule counts from, so COUNT is made less. Where the next day is one
/// that the rule does not know (RDATE), or where the file keeps single instances already, the task stays and the
/// occurrence that is done is written beside it as an instance, as Thunderbird does. RFC 5545 §3.8.5.
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

    /// The occurrence that is to be done now: the first that no instance says is done. nil when there is none left.
    public static func current(of todo: Todo) -> TodoDate? {
        guard let place = todo.start ?? todo.due, isOne(todo), !todo.doneInstances.isEmpty else {
            return todo.start ?? todo.due
        }
        let done = finished(todo, like: place)
        return occurrences(of: todo, limit: done.count + 1).first { !done.contains(reading($0)) }
    }

    /// The task with the dates of the occurrence that is to be done now; itself, unless instances beside it are done.
    public static func shown(_ todo: Todo) -> Todo {
        guard !todo.doneInstances.isEmpty, todo.isOpen, let place = todo.start ?? todo.due,
            let current = current(of: todo), reading(current) != reading(place)
        else { return todo }
        var shown = todo
        (shown.start, shown.due) = dates(of: todo, at: current)
        return shown
    }

    /// DTSTART and DUE of one occurrence.
    static func dates(of todo: Todo, at occurrence: TodoDate) -> (start: TodoDate?, due: TodoDate?) {
        guard let place = todo.start ?? todo.due else { return (nil, nil) }
        let distance = reading(occurrence) - reading(place)
        return (
            todo.start.map { _ in occurrence },
            todo.start == nil ? occurrence : todo.due.map { shifted($0, by: distance) }
        )
    }

    /// Whether an instance says that the occurrence is done.
    static func isDone(_ occurrence: TodoDate, in todo: Todo) -> Bool {
        guard let place = todo.start ?? todo.due, let shaped = shaped(occurrence, like: place) else {
            return false
        }
        return finished(todo, like: place).contains(reading(shaped))
    }

    /// Whether a RECURRENCE-ID names this occurrence.
    static func isSame(_ recurrenceID: String, _ occurrence: TodoDate, in todo: Todo) -> Bool {
        guard let place = todo.start ?? todo.due,
            let named = SeriesDates.date(recurrenceID, in: todo).flatMap({ shaped($0, like: place) }),
            let occurrence = shaped(occurrence, like: place)
        else { return false }
        return reading(named) == reading(occurrence)
    }

    private static func finished(_ todo: Todo, like place: TodoDate) -> Set<Int64> {
        readings(todo.doneInstances.compactMap { SeriesDates.date($0, in: todo) }, like: place)
    }

    /// What comes after the task's current occurrence.
    public static func next(after todo: Todo) -> TodoDate? {
        let todo = shown(todo)
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
        // Without a day left, the task is done with what its instances say.
        guard let current = current(of: todo) else { return .over }
        let gone = readings(todo.excludedDates, like: place).union(finished(todo, like: place))
        let isLeft = { (date: TodoDate) in !gone.contains(reading(date)) }
        let added = todo.addedDates.compactMap { shaped($0, like: place) }
            .filter { reading($0) > reading(current) && isLeft($0) }.min { reading($0) < reading($1) }
        guard let text = todo.recurrence else {
            return added.map { .next(roll(todo, from: current, to: $0, rule: nil)) } ?? .over
        }
        let rule: Recurrence
        do { rule = try Recurrence(text) } catch { throw .rule(error) }
        let limit = gone.count + 1
        let days = rule.occurrences(from: place, after: current, limit: limit)
        if let number = days.firstIndex(where: isLeft) {
            if !todo.doneInstances.isEmpty || added.map({ reading($0) < reading(days[number]) }) ?? false {
                let next = [added, days[number]].compactMap(\.self).min { reading($0) < reading($1) }
                return .next(instance(from: current, to: next ?? days[number]))
            }
            let left = rule.count.map { max($0 - number - 1, 1) }
            return .next(
                roll(todo, from: place, to: days[number], rule: left.map { counted(text, $0) }))
        }
        let passed = rule.occurrences(from: place, after: place, limit: limit + gone.count).count
        guard rule.isOver(from: place, after: passed) else { throw .unknown }
        guard let added else { return .over }
        if !todo.doneInstances.isEmpty { return .next(instance(from: current, to: added)) }
        // A rule that is over counts no further from there either.
        return .next(roll(todo, from: place, to: added, rule: nil))
    }

    private static func instance(from current: TodoDate, to next: TodoDate) -> TodoRoll {
        var roll = TodoRoll(from: current, to: next)
        roll.asInstance = true
        return roll
    }

    private static func roll(
        _ todo: Todo, from place: TodoDate, to next: TodoDate, rule: String?
    ) -> TodoRoll {
        var roll = TodoRoll(from: place, to: next)
        (roll.start, roll.due) = dates(of: todo, at: next)
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
    /// Not within the bounds of a search.
    case unknown

    public var description: String {
        switch self {
        case .noDate:
            "the task repeats, but has no date to continue from; complete it in the program that made it"
        case .rule(let error): "\(error); complete it in the program that made it"
        case .unknown:
            "the repeat rule names no day within \(Recurrence.Bounds.years) years; complete it in the program that "
                + "made it"
        }
    }
}
