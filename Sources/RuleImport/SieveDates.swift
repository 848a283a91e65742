import Models

/// Translates `date` and `currentdate` to conditions. RFC 5260.
///
/// Scripts run at delivery, so the current date is the arrival of the message. Years, months and days become dates;
/// hours, minutes and times become times of day; a month or a day without a year becomes `month` or `day`.
struct SieveDates {
    enum Outcome {
        case read(SieveDates)
        /// A lower-case clause without a full stop.
        case fault(String)
    }

    /// The scale for comparing a key.
    let scale: SieveDateScale
    /// The selected ranges, in order.
    let stretches: [Range<Int>]
    /// `sent` or `received`.
    let field: String
    let zone: SieveCall.Zone?

    static func read(_ name: String, _ call: SieveCall) -> Outcome {
        let isCurrent = name == "currentdate"
        guard call.strings.count == (isCurrent ? 2 : 3),
            call.strings.dropLast().allSatisfy({ $0.count == 1 }),
            let keys = call.strings.last, let part = call.strings[call.strings.count - 2].first?.lowercased()
        else { return .fault("'\(name)' needs a field, a part and keys") }
        let header = isCurrent ? "received" : call.strings[0][0].lowercased()
        guard let field = ["received": "received", "date": "sent"][header] else {
            return .fault("no condition tests the date of this field")
        }
        guard let scale = SieveDateScale(rawValue: part) else { return .fault(refusal(part)) }
        // The first Received is about the arrival, and there is one Date.
        guard call.place.map({ $0 == 1 || $0 == -1 && field == "sent" }) ?? true else {
            return .fault("a condition tests only the topmost '\(header)'")
        }
        guard keys.count <= 100 else { return .fault("more than 100 keys for a part of a date") }
        let found = keys.map { scale.stretches(call, $0) }
        guard !found.contains(nil) else {
            return .fault("no condition compares this part of a date in this way")
        }
        let stretches = SieveDateScale.union(found.flatMap { $0 ?? [] })
        guard scale != .minute || stretches.count <= mostOfAnHour else {
            return .fault("more than \(mostOfAnHour) ranges within an hour")
        }
        return .read(SieveDates(scale: scale, stretches: stretches, field: field, zone: call.zone))
    }

    private static func refusal(_ part: String) -> String {
        switch part {
        case "second": "no condition tests the seconds of a time"
        case "std11": "no condition tests a date as text; 'header:Date' tests the field as it is written"
        case _: "no condition tests this part of a date"
        }
    }

    var condition: DraftCondition {
        switch scale {
        case .month, .day: numbers
        case .iso8601: moments
        case .year: days(stretches.map { Self.firstDay($0.lowerBound)..<Self.firstDay($0.upperBound) })
        case .date, .julian: days(stretches)
        case .hour: clocks(stretches.map { ($0.lowerBound * 3_600)..<($0.upperBound * 3_600) })
        case .minute: clocks(everyHour)
        case .time: clocks(stretches)
        case .weekday: weekdays
        }
    }

    /// The differences, as clauses for the report.
    var changes: [String] {
        var result: [String] = []
        switch zone {
        case .offset(let offset): result.append("in the time zone of the workspace, and not in \(offset)")
        case .original: result.append("in the time zone of the workspace, and not in the sender's")
        case nil: break
        }
        guard field == "received" else { return result }
        switch scale {
        case .weekday: result.append("tests the day of the week of the message's date")
        case .hour, .minute, .time: result.append("tests the time of day of the message's date")
        case .month, .day: result.append("tests the \(scale.rawValue) of the message's date")
        case .year, .date, .julian, .iso8601: break
        }
        return result
    }

    // MARK: Days

    private static let allDays = SieveDateScale.date.values

    private static func firstDay(_ year: Int) -> Int {
        CalendarDate(year: year, month: 1, day: 1).map { Int($0.daysSinceEpoch) }
            ?? (year < 1 ? allDays.lowerBound : allDays.upperBound)
    }

    private func days(_ stretches: [Range<Int>]) -> DraftCondition {
        let ends = scale == .julian ? scale.values : Self.allDays
        return .some(
            stretches.map { stretch in
                let day = { (number: Int) in CalendarDate(daysSinceEpoch: Int64(number)).description }
                if stretch == ends { return anyDate }
                if stretch.count == 1 { return .plain(field, day(stretch.lowerBound)) }
                return .every([
                    stretch.lowerBound == ends.lowerBound
                        ? .always : .plain(field, ">=" + day(stretch.lowerBound)),
                    stretch.upperBound == ends.upperBound
                        ? .always : .plain(field, "<" + day(stretch.upperBound)),
                ])
            })
    }

    /// Every date, but there has to be one.
    private var anyDate: DraftCondition { field == "sent" ? .present("header:Date") : .always }

    private var moments: DraftCondition {
        .some(
            stretches.map { stretch in
                let (ends, text) = (scale.values, { (moment: Int) in Self.moment(moment) })
                if stretch == ends { return anyDate }
                return .every([
                    stretch.lowerBound == ends.lowerBound
                        ? .always : .plain(field, ">=" + text(stretch.lowerBound)),
                    stretch.upperBound == ends.upperBound
                        ? .always : .plain(field, "<" + text(stretch.upperBound)),
                ])
            })
    }

    /// `2026-03-10`, `2026-03-10 12:00`.
    private static func moment(_ second: Int) -> String {
        let day = second >= 0 ? second / 86_400 : (second - 86_399) / 86_400
        let rest = second - day * 86_400
        return CalendarDate(daysSinceEpoch: Int64(day)).description + (rest == 0 ? "" : " " + clock(rest))
    }

    /// A month or a day of the month, of every year.
    private var numbers: DraftCondition {
        let ends = scale.values
        return .some(
            stretches.map { stretch in
                if stretch == ends { return anyDate }
                if stretch.count == 1 { return .plain(scale.rawValue, "\(stretch.lowerBound)") }
                return .every([
                    stretch.lowerBound == ends.lowerBound
                        ? .always : .plain(scale.rawValue, ">=\(stretch.lowerBound)"),
                    stretch.upperBound == ends.upperBound
                        ? .always : .plain(scale.rawValue, "<\(stretch.upperBound)"),
                ])
            })
    }

    // MARK: Times of day

    /// The most ranges within an hour; each becomes 24 conditions.
    private static let mostOfAnHour = 4

    private var everyHour: [Range<Int>] {
        SieveDateScale.union(
            (0..<24).flatMap { hour in
                stretches.map { (hour * 60 + $0.lowerBound) * 60..<(hour * 60 + $0.upperBound) * 60 }
            })
    }

    private func clocks(_ stretches: [Range<Int>]) -> DraftCondition {
        guard stretches != [SieveDateScale.time.values] else { return anyDate }
        var (rest, texts) = (stretches, [String]())
        // The night is one range, over midnight.
        if rest.count > 1, let first = rest.first, let last = rest.last, first.lowerBound == 0,
            last.upperBound == 86_400
        {
            rest = Array(rest.dropFirst().dropLast())
            texts.append("\(Self.clock(last.lowerBound))-\(Self.clock(first.upperBound))")
        }
        texts += rest.map { stretch in
            let (start, end) = (Self.clock(stretch.lowerBound), Self.clock(stretch.upperBound))
            return stretch.lowerBound == 0
                ? "<" + end : stretch.upperBound == 86_400 ? ">=" + start : "\(start)-\(end)"
        }
        return .some(texts.map { .plain("time", $0) })
    }

    private static func clock(_ second: Int) -> String {
        let parts = [second / 3_600, second / 60 % 60] + (second % 60 == 0 ? [] : [second % 60])
        return parts.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }

    private var weekdays: DraftCondition {
        let names = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
        guard stretches != [scale.values] else { return anyDate }
        return stretches.isEmpty
            ? .never : .plain("weekday", stretches.flatMap { $0 }.map { names[$0] }.joined(separator: ","))
    }

    // MARK: Years, months and days together

    /// The most days that are checked one by one, and the most ranges that come of them.
    private static let (mostDays, mostStretches) = (1_100, 24)

    /// What several parts of one date say together, such as a year and a month; nil when that gives too many dates.
    static func together(_ tests: [SieveDates]) -> DraftCondition? {
        guard let first = tests.first, tests.contains(where: { $0.scale == .month || $0.scale == .day })
        else {
            return nil
        }
        var bounds = allDays
        for test in tests {
            guard let range = test.span else { continue }
            bounds = bounds.clamped(to: range)
        }
        guard bounds.count <= mostDays else { return nil }
        let days = bounds.filter { day in
            let date = CalendarDate(daysSinceEpoch: Int64(day))
            return tests.allSatisfy { test in
                let value =
                    switch test.scale {
                    case .year: date.year
                    case .month: date.month
                    case .day: date.day
                    case .date, .julian, .hour, .minute, .time, .weekday, .iso8601: day
                    }
                return test.stretches.contains { $0.contains(value) }
            }
        }
        let stretches = SieveDateScale.union(days.map { $0..<($0 + 1) })
        guard stretches.count <= mostStretches else { return nil }
        return SieveDates(scale: .date, stretches: stretches, field: first.field, zone: nil).condition
    }

    /// Whether both are parts of the same day.
    func isBeside(_ other: SieveDates) -> Bool {
        field == other.field && zone == other.zone && isOfCalendar && other.isOfCalendar
    }

    private var isOfCalendar: Bool {
        switch scale {
        case .year, .month, .day, .date, .julian: true
        case .hour, .minute, .time, .weekday, .iso8601: false
        }
    }

    /// The days between its first and its last; nil when it holds in every year.
    private var span: Range<Int>? {
        guard let first = stretches.first, let last = stretches.last else { return 0..<0 }
        switch scale {
        case .year: return Self.firstDay(first.lowerBound)..<Self.firstDay(last.upperBound)
        case .date, .julian: return first.lowerBound..<last.upperBound
        case .month, .day, .hour, .minute, .time, .weekday, .iso8601: return nil
        }
    }
}

extension SieveTests {
    mutating func date(_ test: SieveTest, _ call: SieveCall) -> DraftCondition {
        if SieveZones.isZone(call) {
            switch SieveZones.condition(test.name, call) {
            case .success(let condition): return condition
            case .failure(let refusal): return unknown(test, refusal.reason)
            }
        }
        switch SieveDates.read(test.name, call) {
        case .fault(let reason): return unknown(test, reason)
        case .read(let date):
            let condition = Self.asWritten(call, date) ?? date.condition
            for change in date.changes { changed(test, change) }
            return condition
        }
    }

    /// Whole days keep the sign that they were compared with.
    private static func asWritten(_ call: SieveCall, _ date: SieveDates) -> DraftCondition? {
        guard date.scale == .date, call.comparator != .numeric, let sign = call.sign,
            let keys = call.strings.last,
            keys.allSatisfy({ CalendarDate($0)?.description == $0 })
        else { return nil }
        return .any(keys.map { .plain(date.field, sign + $0) })
    }

    /// The tests of an `allof`, where a year, a month and a day of the same date are one condition.
    mutating func every(_ tests: [SieveTest]) -> DraftCondition {
        var groups: [[(index: Int, date: SieveDates)]] = []
        for (index, test) in tests.enumerated() where test.name == "date" || test.name == "currentdate" {
            var fault: String?
            let call = SieveCall(test.arguments, constants: constants, fault: &fault)
            guard fault == nil, spend(call.strings.last?.count ?? 0),
                case .read(let date) = SieveDates.read(test.name, call)
            else { continue }
            let place = groups.firstIndex { date.isBeside($0[0].date) }
            if let place { groups[place].append((index, date)) } else { groups.append([(index, date)]) }
        }
        var together: [Int: DraftCondition] = [:]
        for group in groups where group.count > 1 && spend(20) {
            guard let condition = SieveDates.together(group.map(\.date)) else { continue }
            for (index, date) in group {
                together[index] = index == group[0].index ? condition : .always
                for change in date.changes { changed(tests[index], change) }
            }
        }
        return .all(tests.enumerated().map { together[$0.offset] ?? condition($0.element) })
    }
}
