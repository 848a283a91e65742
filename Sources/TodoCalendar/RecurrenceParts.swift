import Models

/// The parts of a repeat rule, checked before they are expanded. RFC 5545 §3.3.10.
///
/// Combinations that the RFC forbids are refused (a numbered weekday with DAILY, BYYEARDAY with MONTHLY), and so is
/// BYWEEKNO, with which libical 3.0.16 crashes. No program lets a person create such a task.
struct RecurrenceParts: Hashable {
    private(set) var frequency = Recurrence.Frequency.daily
    private(set) var interval = 1
    private(set) var count: Int?
    /// The date of UNTIL.
    private(set) var until: CalendarDate?
    private(set) var months: [Int] = []
    private(set) var monthDays: [Int] = []
    private(set) var yearDays: [Int] = []
    private(set) var positions: [Int] = []
    private(set) var weekdays: [NumberedWeekday] = []
    /// 0 is Monday.
    private(set) var weekStart = 0

    /// For each list: its values, its greatest length, and the frequencies with which it is allowed.
    private static let lists:
        [String: (range: ClosedRange<Int>, most: Int, frequencies: Set<Recurrence.Frequency>)] = [
            "BYMONTH": (1...12, 12, [.daily, .weekly, .monthly, .yearly]),
            "BYMONTHDAY": (-31...31, 62, [.daily, .monthly, .yearly]),
            "BYYEARDAY": (-366...366, 100, [.yearly]),
            "BYSETPOS": (-366...366, 100, [.weekly, .monthly, .yearly]),
            // Several times a day would multiply the number of occurrences.
            "BYHOUR": (0...23, 1, [.daily, .weekly, .monthly, .yearly]),
            "BYMINUTE": (0...59, 1, [.daily, .weekly, .monthly, .yearly]),
            "BYSECOND": (0...59, 1, [.daily, .weekly, .monthly, .yearly]),
        ]

    init(_ rule: String) throws(RecurrenceError) {
        guard rule.utf8.count <= Recurrence.Bounds.ruleBytes else {
            throw .tooLong(maximum: Recurrence.Bounds.ruleBytes)
        }
        var values: [String: String] = [:]
        for part in rule.uppercased().split(separator: ";") {
            let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
            guard pair.count == 2, values.updateValue(pair[1], forKey: pair[0]) == nil else {
                throw .unreadable(part: Self.shown(String(part)))
            }
        }
        guard let name = values.removeValue(forKey: "FREQ") else { throw .unreadable(part: Self.shown(rule)) }
        guard !["SECONDLY", "MINUTELY", "HOURLY"].contains(name) else { throw .tooOften(name) }
        guard let known = Recurrence.Frequency(rawValue: name) else {
            throw .unreadable(part: Self.shown("FREQ=\(name)"))
        }
        frequency = known
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            guard receive(name, value) else { throw .unreadable(part: Self.shown("\(name)=\(value)")) }
        }
        guard canFall else { throw .neverFalls }
    }

    /// False for what is not understood.
    private mutating func receive(_ name: String, _ value: String) -> Bool {
        switch name {
        case "INTERVAL":
            interval = Int(value) ?? 0
            return Recurrence.Bounds.interval.contains(interval)
        case "COUNT":
            count = Int(value)
            return count.map { (1...Int(Int32.max)).contains($0) } ?? false
        case "UNTIL":
            let digits = Int(value.prefix(8)) ?? 0
            until = CalendarDate(year: digits / 10_000, month: (digits / 100) % 100, day: digits % 100)
            return (8...16).contains(value.utf8.count)
                && value.allSatisfy { $0.isNumber || "TZ".contains($0) }
        case "WKST":
            let day = NumberedWeekday(value[...])
            weekStart = day?.weekday ?? 0
            return day?.number == 0
        case "BYDAY":
            let days = value.split(separator: ",", omittingEmptySubsequences: false).map(NumberedWeekday.init)
            weekdays = days.compactMap(\.self)
            let mayNumber = frequency == .monthly || frequency == .yearly
            return weekdays.count == days.count && days.count <= 100
                && (mayNumber || weekdays.allSatisfy { $0.number == 0 })
        case _:
            return receive(list: name, value)
        }
    }

    private mutating func receive(list name: String, _ value: String) -> Bool {
        guard let list = Self.lists[name], list.frequencies.contains(frequency) else { return false }
        let texts = value.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = texts.compactMap { Int($0) }
        guard numbers.count == texts.count, numbers.count <= list.most,
            numbers.allSatisfy(list.range.contains), list.range.lowerBound >= 0 || !numbers.contains(0),
            // libical finds no days from the end when it goes day by day.
            frequency != .daily || numbers.allSatisfy({ $0 >= 0 })
        else { return false }
        switch name {
        case "BYMONTH": months = numbers
        case "BYMONTHDAY": monthDays = numbers
        case "BYYEARDAY": yearDays = numbers
        case "BYSETPOS": positions = numbers
        case _: break
        }
        return true
    }

    /// Whether some month of the rule has some day of it. In February that is up to the 29th, or from the last.
    private var canFall: Bool {
        guard !monthDays.isEmpty else { return true }
        let months = months.isEmpty ? Array(1...12) : months
        return months.contains { month in monthDays.contains { abs($0) <= Self.lengths[month - 1] } }
    }

    private static let lengths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

    private static func shown(_ text: String) -> String { CleanText.line(text, maximumBytes: 60) }
}
