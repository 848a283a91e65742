import CLibical
import Glibc
public import Models

/// The rule of a repeating task (`RRULE`), and its dates. RFC 5545 §3.3.10.
///
/// libical expands it within limits that opus checks first, because its iterator never ends for
/// `FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30`. A task repeats at most daily, and a date that does not exist in any year is
/// refused at once. Times are wall-clock times: "every Monday at nine" stays nine when the clocks change.
public struct Recurrence: Hashable, Sendable {
    public enum Frequency: String, Hashable, Sendable {
        case daily = "DAILY"
        case weekly = "WEEKLY"
        case monthly = "MONTHLY"
        case yearly = "YEARLY"
    }

    /// Limits of the cost of an expansion.
    public enum Bounds {
        public static let ruleBytes = 1_024
        public static let interval = 1...1_000
        public static let steps = 20_000
        public static let years = 10
        /// Processor time, so that a busy machine gives the same results as an idle one.
        public static let time = Duration.milliseconds(50)
    }

    /// The value of the property, unchanged.
    public let rule: String
    public var frequency: Frequency { parts.frequency }
    /// The number of all occurrences (COUNT); nil: the rule has none.
    public var count: Int? { parts.count }
    private let parts: RecurrenceParts

    public init(_ rule: String) throws(RecurrenceError) {
        parts = try RecurrenceParts(rule)
        self.rule = rule
    }

    /// The occurrences of a series that begins at `start`, in its form and in order.
    ///
    /// - Parameters:
    ///   - start: DTSTART, otherwise DUE; the first occurrence.
    ///   - after: Only later occurrences; nil: from the first one on.
    ///   - limit: The most occurrences.
    /// - Returns: Fewer if the rule ends, or a limit was reached (ten years, steps, time).
    public func occurrences(from start: TodoDate, after: TodoDate? = nil, limit: Int) -> [TodoDate] {
        CalendarThread.run { expand(from: start, after: after, limit: limit) }
    }

    /// The occurrence after a date of the series.
    public func next(after date: TodoDate, from start: TodoDate) -> TodoDate? {
        occurrences(from: start, after: date, limit: 1).first
    }

    /// Whether the series has ended by its own rule after `passed` occurrences that follow its first, and not because a
    /// limit ended the search.
    func isOver(from start: TodoDate, after passed: Int) -> Bool {
        if let count = parts.count { return passed + 1 >= count }
        guard let until = parts.until else { return false }
        var days = RecurrenceDays(
            parts, start: CalendarDates.day(start), from: CalendarDates.day(start), years: Bounds.years)
        for _ in 0..<Bounds.steps {
            guard let day = days.next() else { return false }
            // The time of the last day may have passed.
            if day >= until, day > CalendarDates.day(start) { return true }
        }
        return false
    }

    /// Asks libical only if opus's own computation finds an occurrence, and both must find the same.
    private func expand(from start: TodoDate, after: TodoDate?, limit: Int) -> [TodoDate] {
        let deadline = Self.threadTime() + Bounds.time
        var days = RecurrenceDays(
            parts, start: CalendarDates.day(start), from: CalendarDates.day(after ?? start),
            years: Bounds.years)
        var expected = days.next()
        var value = icalrecurrencetype_from_string(rule)
        value.until = Self.until(value.until, like: start)
        // Creating the iterator already searches for the first occurrence.
        guard expected != nil, value.freq != ICAL_NO_RECURRENCE,
            let iterator = icalrecur_iterator_new(value, CalendarDates.time(start))
        else { return [] }
        defer { icalrecur_iterator_free(iterator) }
        var found: [TodoDate] = []
        for _ in 0..<Bounds.steps where found.count < limit {
            guard Self.threadTime() < deadline, let day = expected else { break }
            expected = days.next()
            let time = icalrecur_iterator_next(iterator)
            guard icaltime_is_null_time(time) == 0, let date = CalendarDates.date(time, like: start),
                CalendarDates.day(date) == day
            else { break }
            if let after, Self.reading(date) <= Self.reading(after) { continue }
            found.append(date)
        }
        return found
    }

    /// The last time of the rule in the form of the start, because libical compares the two as written. UNTIL is in UTC
    /// beside a start with a time zone. A day beside a start with a time, which some programs write, is the whole day.
    private static func until(_ until: icaltimetype, like start: TodoDate) -> icaltimetype {
        guard icaltime_is_null_time(until) == 0 else { return until }
        switch (start, CalendarDates.date(until, tzid: nil)) {
        case (.local(_, zone: .some(let zone)), .instant(let last)):
            return ZoneClock.local(at: last, in: zone).map { CalendarDates.time(.local($0, zone: zone)) }
                ?? until
        case (.local(_, let zone), .date(let day)):
            return CalendarDates.time(.local(endOf(day), zone: zone))
        case (.instant, .date(let day)):
            return CalendarDates.time(Timestamp(seconds: endOf(day).secondsSinceEpoch))
        case (.local, _), (.instant, _), (.date, _):
            return until
        }
    }

    private static func endOf(_ day: CalendarDate) -> LocalDateTime {
        LocalDateTime(date: day, hour: 23, minute: 59, second: 59)
    }

    /// The processor time of this thread.
    private static func threadTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// The wall-clock time as a number, comparable within one form; a day is its midnight.
    private static func reading(_ date: TodoDate) -> Int64 {
        switch date {
        case .date(let day): day.daysSinceEpoch * 86_400
        case .instant(let instant): instant.seconds
        case .local(let local, zone: _): local.secondsSinceEpoch
        }
    }
}

/// Why opus does not expand a repeat rule. Its text stays in the file.
public enum RecurrenceError: Error, Hashable, Sendable, CustomStringConvertible {
    case tooLong(maximum: Int)
    case unreadable(part: String)
    /// SECONDLY, MINUTELY, HOURLY: tasks do not repeat so often, and such rules can search forever.
    case tooOften(String)
    /// The date does not exist in any year.
    case neverFalls

    public var description: String {
        switch self {
        case .tooLong(let maximum): "a repeat rule of more than \(maximum) bytes"
        case .unreadable(let part): "the repeat rule cannot be read at \"\(part)\""
        case .tooOften(let frequency): "a task cannot repeat \(frequency); DAILY is the most frequent"
        case .neverFalls: "the repeat rule names a day that no year has"
        }
    }
}
