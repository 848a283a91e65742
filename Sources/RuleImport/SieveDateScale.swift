import Models

/// A part of a date in Sieve's form: a scale of ordered values, each with its text. RFC 5260 §4.2.
///
/// All texts of a scale have the same length, so their order is that of the values, and a key selects a few ranges of
/// the scale.
enum SieveDateScale: String {
    case year
    case month
    case day
    /// Days since 1970-01-01, as for all scales in days.
    case date
    /// The Julian day, counted from 1858-11-17 (RFC 5260 §4.2).
    case julian
    case hour
    /// The minute of any hour.
    case minute
    /// Seconds after midnight.
    case time
    /// 0 is Sunday.
    case weekday
    /// Seconds since 1970-01-01, in the zone of the test.
    case iso8601

    var values: Range<Int> {
        switch self {
        case .year: 1..<10_000
        case .month: 1..<13
        case .day: 1..<32
        case .date: -719_162..<2_932_897
        // Days with five digits: the years 1886 to 2132.
        case .julian: (10_000 - Self.julianOffset)..<(100_000 - Self.julianOffset)
        case .hour: 0..<24
        case .minute: 0..<60
        case .time: 0..<86_400
        case .weekday: 0..<7
        case .iso8601: (Self.date.values.lowerBound * 86_400)..<(Self.date.values.upperBound * 86_400)
        }
    }

    private static let julianOffset = 40_587

    private func text(_ value: Int) -> String {
        switch self {
        case .year: Self.padded(value, 4)
        case .month, .day, .hour, .minute: Self.padded(value, 2)
        case .date: CalendarDate(daysSinceEpoch: Int64(value)).description
        case .julian: "\(value + Self.julianOffset)"
        case .time:
            [value / 3_600, value / 60 % 60, value % 60].map { Self.padded($0, 2) }.joined(separator: ":")
        case .weekday: "\(value)"
        case .iso8601:
            {
                let day = value >= 0 ? value / 86_400 : (value - 86_399) / 86_400
                return Self.date.text(day) + "T" + Self.time.text(value - day * 86_400)
            }()
        }
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    // MARK: Keys

    /// The values that a key matches; nil when that cannot be expressed.
    func stretches(_ call: SieveCall, _ key: String) -> [Range<Int>]? {
        if self == .iso8601 { return moments(call, key) }
        return values(call, key)
    }

    /// `2026-03-10T12:00:00+01:00`: the zone at the end is known where the test names it. Without it, a key may end before.
    private func moments(_ call: SieveCall, _ key: String) -> [Range<Int>]? {
        let length = Self.lengthOfMoment
        if call.match == .matches {
            return key.hasSuffix("*") && key.utf8.count <= length + 1 ? values(call, key) : nil
        }
        guard call.match == .is || call.match == .value, call.comparator != .numeric else { return nil }
        var call = call
        if key.utf8.count <= length {
            // What is compared is longer than the key, so that it is never equal, and after what begins as it does.
            guard key.utf8.count == length else { return values(call, key) }
            switch (call.match, call.relation) {
            case (.value, "gt"): call.relation = "ge"
            case (.value, "le"): call.relation = "lt"
            case (.value, "ge"), (.value, "lt"): break
            case _: return nil
            }
            return values(call, key)
        }
        guard case .offset(let offset)? = call.zone else { return nil }
        let suffix = "\(offset.prefix(3)):\(offset.suffix(2))"
        let zone = String(key.dropFirst(length))
        guard zone == suffix || zone == "Z" && suffix == "+00:00" else { return nil }
        return values(call, String(key.prefix(length)))
    }

    private static let lengthOfMoment = 19

    private func values(_ call: SieveCall, _ key: String) -> [Range<Int>]? {
        let (start, end) = (values.lowerBound, values.upperBound)
        let order = call.comparator == .numeric ? Self.number(key).map(Order.number) : .text(key)
        let lower = order.map { first(notBefore: $0, orEqual: true) } ?? end
        let upper = order.map { first(notBefore: $0, orEqual: false) } ?? end
        switch (call.match, call.relation) {
        case (.is, _), (.value, "eq"): return [lower..<upper]
        case (.value, "ne"): return [start..<lower, upper..<end]
        case (.value, "ge"): return [lower..<end]
        case (.value, "gt"): return [upper..<end]
        case (.value, "le"): return [start..<upper]
        case (.value, "lt"): return [start..<lower]
        case (.matches, _): return call.comparator == .numeric ? nil : matching(key)
        case (.contains, _):
            guard call.comparator != .numeric, values.count <= 100 else { return nil }
            return values.filter { key.isEmpty || text($0).contains(key) }.map { $0..<($0 + 1) }
        case (.value, _), (.regex, _), (.count, _): return nil
        }
    }

    private enum Order {
        case text(String)
        case number(Int)
    }

    /// RFC 4790 §9.1: the digits at the beginning count; a text without any comes after all numbers, which is nil here.
    private static func number(_ text: String) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }.drop { $0 == "0" }
        guard text.first.map({ $0.isASCII && $0.isNumber }) ?? false, digits.count <= 9 else { return nil }
        return digits.isEmpty ? 0 : Int(digits)
    }

    /// The first value that is the key or after it, or only after it; the end of the scale if there is none.
    private func first(notBefore key: Order, orEqual: Bool) -> Int {
        var (low, high) = (values.lowerBound, values.upperBound)
        while low < high {
            let middle = low + (high - low) / 2
            let text = text(middle)
            let isReached =
                switch key {
                case .text(let key): orEqual ? text >= key : text > key
                case .number(let key): Self.number(text).map { orEqual ? $0 >= key : $0 > key } ?? true
                }
            if isReached { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// `2026-03-*`, `09:??:??`: a text followed only by wildcards is one range, the others are not translated.
    private func matching(_ pattern: String) -> [Range<Int>]? {
        let prefix = String(pattern.prefix { !"*?\\".contains($0) })
        let wildcards = pattern.dropFirst(prefix.count)
        guard wildcards.allSatisfy({ "*?".contains($0) }) else { return nil }
        let free = text(values.lowerBound).count - prefix.count
        let single = wildcards.filter { $0 == "?" }.count
        guard single == wildcards.count ? single == free : single <= free else { return [] }
        let lower = first(notBefore: .text(prefix), orEqual: true)
        return [lower..<max(lower, first(notBefore: .text(prefix + "\u{7F}"), orEqual: true))]
    }

    /// In order, each value once.
    static func union(_ stretches: [Range<Int>]) -> [Range<Int>] {
        var result: [Range<Int>] = []
        for next in stretches.filter({ !$0.isEmpty }).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = result.last, next.lowerBound <= last.upperBound {
                result[result.count - 1] = last.lowerBound..<max(last.upperBound, next.upperBound)
            } else {
                result.append(next)
            }
        }
        return result
    }
}
