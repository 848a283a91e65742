public import Models

/// How a repeating task continues after one occurrence is done: at the next date of its series, or not at all.
/// RFC 5545 §3.8.5.
///
/// The same task moves to the next date, as in Tasks.org and Nextcloud, so every client shows one open task. The dates
/// are those of RRULE and RDATE without those of EXDATE, counted from the task's own date (DTSTART, otherwise DUE).
/// Because the rule counts from the start, moving the start also reduces COUNT. If the next date is not part of the
/// rule (RDATE), or the file already has instances, the task stays, and the done occurrence is written as an instance,
/// as Thunderbird does it.
public enum TodoSeries {
    public enum Outcome: Hashable, Sendable {
        case next(TodoRoll)
        /// This was the last occurrence.
        case over
    }

    /// Whether the task repeats at all.
    public static func isOne(_ todo: Todo) -> Bool { todo.recurrence != nil || !todo.addedDates.isEmpty }

    /// The dates of the series from the task's own date on, in order; empty: the task does not repeat, or opus cannot
    /// expand its rule.
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

    /// The occurrence to do now: the first without a completed instance; nil: all are done.
    public static func current(of todo: Todo) -> TodoDate? {
        guard let place = todo.start ?? todo.due, isOne(todo), !todo.doneInstances.isEmpty else {
            return todo.start ?? todo.due
        }
        let done = finished(todo, like: place)
        return occurrences(of: todo, limit: done.count + 1).first { !done.contains(reading($0)) }
    }

    /// Whether the file has a completed instance for every date, so that nothing is left to do, whatever the STATUS of the
    /// task itself.
    static func isFinished(_ todo: Todo) -> Bool {
        !todo.doneInstances.isEmpty && current(of: todo) == nil && (try? outcome(of: todo)) == .over
    }

    /// The task with the dates of the occurrence to do now. It differs from the task only if there are completed
    /// instances.
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

    /// Whether an instance for this occurrence is completed.
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

    /// The occurrence after the task's current one.
    public static func next(after todo: Todo) -> TodoDate? {
        let todo = shown(todo)
        guard let place = todo.start ?? todo.due else { return nil }
        return occurrences(of: todo, limit: 2).first { reading($0) > reading(place) }
    }

    /// The change that completes the task: it is done or, if it repeats, open at its next date.
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
        var rule: Recurrence?
        if let text = todo.recurrence {
            do { rule = try Recurrence(text) } catch { throw .rule(error) }
        }
        let gone = readings(todo.excludedDates, like: place).union(finished(todo, like: place))
        // Without another date, the task and its instances are done, unless the dates end where the search does.
        guard let current = current(of: todo) else {
            guard rule.map({ hasEnded($0, from: place, besides: gone.count) }) ?? true else { throw .unknown }
            return .over
        }
        let isLeft = { (date: TodoDate) in !gone.contains(reading(date)) }
        let added = todo.addedDates.compactMap { shaped($0, like: place) }
            .filter { reading($0) > reading(current) && isLeft($0) }.min { reading($0) < reading($1) }
        guard let text = todo.recurrence, let rule else {
            return added.map { .next(roll(todo, from: current, to: $0, rule: nil)) } ?? .over
        }
        let days = rule.occurrences(from: place, after: current, limit: gone.count + 1)
        if let number = days.firstIndex(where: isLeft) {
            if !todo.doneInstances.isEmpty || added.map({ reading($0) < reading(days[number]) }) ?? false {
                let next = [added, days[number]].compactMap(\.self).min { reading($0) < reading($1) }
                return .next(instance(from: current, to: next ?? days[number]))
            }
            let left = rule.count.map { max($0 - number - 1, 1) }
            return .next(
                roll(todo, from: place, to: days[number], rule: left.map { counted(text, $0) }))
        }
        guard hasEnded(rule, from: place, besides: gone.count) else { throw .unknown }
        guard let added else { return .over }
        if !todo.doneInstances.isEmpty { return .next(instance(from: current, to: added)) }
        // A rule that has ended has no further dates from there either.
        return .next(roll(todo, from: place, to: added, rule: nil))
    }

    /// Whether the rule has no date after those that are done or left out.
    private static func hasEnded(_ rule: Recurrence, from place: TodoDate, besides gone: Int) -> Bool {
        rule.isOver(
            from: place, after: rule.occurrences(from: place, after: place, limit: 2 * gone + 1).count)
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

    /// By wall-clock time: nine o'clock stays nine when the clocks change.
    private static func shifted(_ date: TodoDate, by seconds: Int64) -> TodoDate {
        switch date {
        case .date(let day): .date(CalendarDate(daysSinceEpoch: day.daysSinceEpoch + seconds / 86_400))
        case .instant(let instant): .instant(Timestamp(seconds: instant.seconds + seconds))
        case .local(let local, let zone):
            .local(LocalDateTime(secondsSinceEpoch: local.secondsSinceEpoch + seconds), zone: zone)
        }
    }

    /// A date of EXDATE or RDATE in the form of the series. A day gets the time of the series.
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

    /// The dates as wall-clock times, comparable within one form.
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
