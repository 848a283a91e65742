import CLibical
import Glibc
public import Models

/// The rule of a repeating task (`RRULE`), and the days on which it falls. RFC 5545 §3.3.10.
///
/// libical expands it, within bounds that are set before: its iterator does not come back from
/// `FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30`. A task repeats by days at most, and a day that no year has is refused
/// before the first step. Times are wall-clock readings: "every Monday at nine" is nine on both sides of a change of
/// the clocks.
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
        /// Of the processor: a busy machine gives no other answer than an idle one.
        public static let time = Duration.milliseconds(50)
    }

    /// The value of the property, as the file has it.
    public let rule: String
    public var frequency: Frequency { parts.frequency }
    /// How many occurrences there are in all; nil without an end by number.
    public var count: Int? { parts.count }
    private let parts: RecurrenceParts

    public init(_ rule: String) throws(RecurrenceError) {
        parts = try RecurrenceParts(rule)
        self.rule = rule
    }

    /// The occurrences of a series that begins at `start`, in its form, in order.
    ///
    /// - Parameters:
    ///   - start: DTSTART, else DUE; the first occurrence.
    ///   - after: only those later than this; nil: from the first on.
    ///   - limit: the most occurrences.
    /// - Returns: fewer when the rule ends, or when a bound was reached (ten years, steps, time).
    public func occurrences(from start: TodoDate, after: TodoDate? = nil, limit: Int) -> [TodoDate] {
        CalendarThread.run { expand(from: start, after: after, limit: limit) }
    }

    /// The next one after a date of the series.
    public func next(after date: TodoDate, from start: TodoDate) -> TodoDate? {
        occurrences(from: start, after: date, limit: 1).first
    }

    /// Whether a series ended by its own words, where nothing more was found after `passed` occurrences that follow its
    /// first; not because a bound ended the search.
    func isOver(from start: TodoDate, after passed: Int) -> Bool {
        if let count = parts.count { return passed + 1 >= count }
        guard let until = parts.until else { return false }
        var days = RecurrenceDays(
            parts, start: CalendarDates.day(start), from: CalendarDates.day(start), years: Bounds.years)
        for _ in 0..<Bounds.steps {
            guard let day = days.next() else { return false }
            // The last day itself may be over by its time.
            if day >= until, day > CalendarDates.day(start) { return true }
        }
        return false
    }

    /// libical answers, and only when counting the days says that there is an answer, and the same one.
    private func expand(from start: TodoDate, after: TodoDate?, limit: Int) -> [TodoDate] {
        let deadline = Self.threadTime() + Bounds.time
        var days = RecurrenceDays(
            parts, start: CalendarDates.day(start), from: CalendarDates.day(after ?? start),
            years: Bounds.years)
        var expected = days.next()
        let value = icalrecurrencetype_from_string(rule)
        // Making the iterator already searches for the first day.
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

    /// What this thread has had of the processor.
    private static func threadTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// By wall clock within one form; a day is its midnight.
    private static func reading(_ date: TodoDate) -> Int64 {
        switch date {
        case .date(let day): day.daysSinceEpoch * 86_400
        case .instant(let instant): instant.seconds
        case .local(let local, zone: _): local.secondsSinceEpoch
        }
    }
}

/// Why a repeat rule is not expanded; its text stays in the file.
public enum RecurrenceError: Error, Hashable, Sendable, CustomStringConvertible {
    case tooLong(maximum: Int)
    case unreadable(part: String)
    /// SECONDLY, MINUTELY, HOURLY: no task repeats like that, and they are what never ends.
    case tooOften(String)
    /// No year has such a day.
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
