import Models
import YAMLSource

/// Numbers, ages and days in the values of conditions.
extension ValueReader {
    /// A comparison sign at the beginning of the value, as in `size: '>2M'` and `size:>2M`.
    static func comparison(_ raw: RawValue, _ outside: Comparison?) -> (Comparison?, RawValue) {
        var value = raw
        var sign = outside
        if sign == nil, raw.form == .bare {
            for candidate in [Comparison.lessOrEqual, .greaterOrEqual, .less, .greater, .equal]
            where raw.text.hasPrefix(candidate.rawValue) {
                sign = candidate
                let rest = raw.text.dropFirst(candidate.rawValue.count)
                value = RawValue(
                    form: .bare, text: String(rest), offset: raw.offset + candidate.rawValue.count)
                break
            }
        }
        let trimmed = value.text.trimmingBlanks()
        value = RawValue(
            form: value.form, text: trimmed,
            offset: value.offset + value.text.prefix { $0.isWhitespace }.count)
        // `size=5` arrives as an exact value.
        return (sign ?? (raw.form == .exact ? .equal : nil), value)
    }

    /// `2M`, `1.5M`, `100K`, `5000`, `2MB`: in bytes, with units of 1,024.
    static func bytes(_ raw: RawValue) throws(QueryProblem) -> Int {
        var text = raw.text.uppercased()
        for suffix in ["IB", "B"] where text.hasSuffix(suffix) && text.count > suffix.count {
            text = String(text.dropLast(suffix.count))
            break
        }
        let factors: [Character: Double] = ["K": 1_024, "M": 1_048_576, "G": 1_073_741_824]
        let factor = text.last.flatMap { factors[$0] }
        let digits = factor == nil ? text[...] : text.dropLast()
        guard !digits.isEmpty, digits.utf8.count <= 15,
            digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
            let number = Double(digits), number * (factor ?? 1) < 1e15
        else { throw raw.problem("R024", "'\(raw.text)' is not a size", "500K, 2M, 1G") }
        return Int(number * (factor ?? 1))
    }

    /// `100`, `99.90 EUR`, `€50`: cents and currency; nil: any currency.
    static func money(_ raw: RawValue) throws(QueryProblem) -> (cents: Int, currency: String?) {
        let text = raw.text.filter { !$0.isWhitespace }
        let number = text.filter { ($0.isASCII && $0.isNumber) || ".,'".contains($0) }
        let word = text.filter { !(($0.isASCII && $0.isNumber) || ".,'".contains($0)) }
        let currency = Money.currency(word) ?? Money.currency(word.uppercased())
        guard let cents = Money.cents(number), currency != nil || word.isEmpty else {
            throw raw.problem("R024", "'\(raw.text)' is not an amount of money", "100, 99.90EUR, '100 USD'")
        }
        return (cents, currency)
    }

    static func count(_ raw: RawValue) throws(QueryProblem) -> Int {
        guard raw.text.utf8.count <= 9, let number = Int(raw.text), number >= 0 else {
            throw raw.problem("R024", "'\(raw.text)' is not a number", ">=3")
        }
        return number
    }

    /// `3`, `mar`, `march`.
    static func month(_ raw: RawValue) throws(QueryProblem) -> Int {
        let number = raw.text.utf8.count <= 2 ? Int(raw.text) : nil
        guard let month = number ?? DateWords.month(raw.text.lowercased(), anyLanguage: false),
            (1...12).contains(month)
        else { throw raw.problem("R022", "'\(raw.text)' is not a month", "dec, 12 or >=nov") }
        return month
    }

    /// How long a task has waited: at least this long, unless there is another sign.
    static func waitedTime(_ raw: RawValue, _ outside: Comparison?) throws(QueryProblem) -> ConditionTest.Kind
    {
        let (sign, value) = comparison(raw, outside)
        guard let seconds = DatePhrase.duration(value.text) else {
            throw value.problem("R024", "'\(value.text)' is not a length of time", "7d, 36h, 2 weeks")
        }
        return .waited(sign ?? .greaterOrEqual, seconds)
    }

    /// `08:00-18:00`, `22:00-06:00`, `<9am`, `>=18:00`.
    static func clock(_ raw: RawValue, _ outside: Comparison?) throws(QueryProblem) -> ClockRange {
        let (sign, value) = comparison(raw, outside)
        let ends = value.text.lowercased().split(separator: "-", omittingEmptySubsequences: false)
            .map { DateTimeOfDay.parse($0.trimmingBlanks()) }
        let wrong = value.problem(
            "R022", "'\(value.text)' is not a time of day", "08:00-18:00, <9am, >=18:00")
        if let sign {
            guard ends.count == 1, let end = ends[0] else { throw wrong }
            switch sign {
            case .less: return ClockRange(start: 0, end: end)
            case .lessOrEqual: return ClockRange(start: 0, end: end + 60)
            case .equal: return ClockRange(start: end, end: end + 60)
            case .greaterOrEqual: return ClockRange(start: end, end: 86_400)
            case .greater: return ClockRange(start: end + 60, end: 86_400)
            }
        }
        guard ends.count == 2, let start = ends[0], let end = ends[1] else { throw wrong }
        return ClockRange(start: start, end: end)
    }

    static let results = ["pass", "fail", "softfail", "neutral", "none", "policy", "temperror", "permerror"]

    /// RFC 8601 §2.7: a keyword.
    static func result(_ raw: RawValue) throws(QueryProblem) -> String {
        let text = raw.text.lowercased()
        guard results.contains(text) else {
            throw raw.problem(
                "R020", "'\(raw.text)' is not a result", "one of: \(results.joined(separator: ", "))")
        }
        return text
    }

    static func age(
        _ sense: AgeSense, _ raw: RawValue, _ outside: Comparison?
    ) throws(QueryProblem) -> ConditionTest.Kind {
        let (sign, value) = comparison(raw, outside)
        let seconds = DatePhrase.duration(value.text)
        switch sense {
        case .age:
            guard let sign else {
                throw value.problem("R024", "'age' compares", "write age>\(value.text) or age<\(value.text)")
            }
            if let seconds { return .age(sign, seconds) }
        case .older, .newer:
            guard sign == nil else {
                throw value.problem("R024", "'older' and 'newer' take no comparison", "older:7d, or age>7d")
            }
            let isOlder = if case .older = sense { true } else { false }
            if let seconds { return .age(isOlder ? .greater : .less, seconds) }
            if DatePhrase.isValid(value.text) || DatePeriod(value.text) != nil {
                return .time(.date, isOlder ? .less : .greater, phrase: value.text)
            }
        }
        throw value.problem("R024", "'\(value.text)' is not a length of time", "7d, 36h, 2 weeks")
    }

    static func time(
        _ field: TimeField, _ raw: RawValue, _ outside: Comparison?
    ) throws(QueryProblem) -> ConditionTest.Kind {
        var (sign, value) = comparison(raw, outside)
        if case .event = field, sign == nil {
            if value.text.lowercased() == "past" { return .state(.eventPast) }
            for (word, meant) in [("before:", Comparison.less), ("after:", .greater)]
            where value.text.lowercased().hasPrefix(word) {
                sign = meant
                value = RawValue(
                    form: value.form, text: value.text.dropFirst(word.count).trimmingBlanks(),
                    offset: value.offset + word.count)
            }
        }
        guard DatePhrase.isValid(value.text) || DatePeriod(value.text) != nil else {
            throw value.problem(
                "R022", "'\(value.text)' is not a date",
                rangeInOurWords(value.text) ?? "2026-03-31, 2026-03, yesterday, '3 days ago'")
        }
        return .time(field, sign ?? .equal, phrase: value.text)
    }

    /// The range `a..b` of notmuch and mu in our words; nil: it is not a range.
    private static func rangeInOurWords(_ text: String) -> String? {
        guard let dots = text.firstRange(of: "..") else { return nil }
        let ends = [(text[..<dots.lowerBound], ">=", "<="), (text[dots.upperBound...], "<=", ">=")]
            .filter { !$0.0.isEmpty }
            // There, `2w` is a day two weeks ago.
            .map { end, date, age in
                DatePhrase.duration(String(end)) == nil ? "date\(date)\(end)" : "age\(age)\(end)"
            }
        return ends.isEmpty ? nil : "write " + ends.joined(separator: " ")
    }

    /// `sat`, `sat,sun`, `mon-fri`.
    static func weekdays(_ raw: RawValue) throws(QueryProblem) -> Set<Int> {
        var result: Set<Int> = []
        for part in raw.text.lowercased().split(separator: ",") {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false)
                .map { DateWords.weekday($0.trimmingBlanks(), anyLanguage: false) }
            guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1] else {
                throw raw.problem("R022", "'\(part)' is not a day of the week", "mon, sat,sun or mon-fri")
            }
            for step in 0...((last - first + 7) % 7) { result.insert((first + step - 1) % 7 + 1) }
        }
        return result
    }
}

/// The probably intended name in a set of names.
func nearestName(_ name: String, among names: Set<String>) -> String? {
    nearest(to: name, among: names.sorted())
}
