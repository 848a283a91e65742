import Models

/// Parses one date phrase, from left to right.
///
///     phrase   = count unit ("before" / "after") phrase / offset [time] / day [["at"] time] / time
///     offset   = ["+" / "-" / "in"] count ["business"] unit ["ago"] / ISO duration
struct DatePhraseParser {
    private let clock: DateClock
    private var words: [String]
    private var index = 0
    /// The phrase names a weekday, and today is that weekday.
    private var isNamedLikeToday = false

    init(_ text: String, clock: DateClock) {
        self.clock = clock
        words = Self.words(text)
    }

    /// Lower-case words; `+3days` becomes `+` `3` `days`, so a number may be written together with its unit.
    static func words(_ text: String) -> [String] {
        var result: [String] = []
        for word in text.lowercased().split(whereSeparator: { $0.isWhitespace || $0 == "," }).prefix(12) {
            var rest = word
            if let sign = rest.first, sign == "+" || sign == "-" {
                result.append(String(sign))
                rest = rest.dropFirst()
            }
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            let tail = rest.dropFirst(digits.count)
            if !digits.isEmpty, !tail.isEmpty, DateWords.unit(String(tail)) != nil {
                result += [String(digits), String(tail)]
            } else if !rest.isEmpty {
                result.append(String(rest))
            }
        }
        return result
    }

    static func count(_ word: String) -> Int64? {
        guard word.utf8.count <= 5, word.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(word)
    }

    mutating func parse() -> TodoDate? {
        guard !words.isEmpty else { return nil }
        // "3 days before X" becomes X and an offset; X must not contain another such part.
        if let relation = relation() {
            guard let base = parseWhole() else { return nil }
            return relation.apply(to: base, clock: clock)
        }
        return parseWhole()
    }

    private var word: String? { words.indices.contains(index) ? words[index] : nil }

    private mutating func take(_ expected: String) -> Bool {
        guard word == expected else { return false }
        index += 1
        return true
    }

    private mutating func relation() -> DateOffset? {
        let start = index
        if let offset = counted(), let joint = word, joint == "before" || joint == "after" {
            index += 1
            return joint == "before" ? offset.reversed : offset
        }
        index = start
        return nil
    }

    private mutating func parseWhole() -> TodoDate? {
        if let result = offsetFromNow() { return result }
        if let (day, secondOfDay) = day() {
            let time = secondOfDay ?? (index == words.count ? nil : timeAfterDay())
            guard index == words.count else { return nil }
            guard let time else { return .date(day) }
            if isNamedLikeToday, clock.instantTime(clock.today, secondOfDay: time) > clock.now {
                return clock.instant(clock.today, secondOfDay: time)
            }
            return clock.instant(day, secondOfDay: time)
        }
        guard let time = timeAfterDay(), index == words.count else { return nil }
        let today = clock.instantTime(clock.today, secondOfDay: time)
        return .instant(
            today > clock.now ? today : clock.instantTime(clock.today.adding(days: 1), secondOfDay: time))
    }

    // MARK: Offsets

    private mutating func offsetFromNow() -> TodoDate? {
        let start = index
        if let word, let period = ISODuration(word), words.count == index + 1 {
            index += 1
            return DateOffset(period).apply(to: .date(clock.today), clock: clock)
        }
        let isNegative = take("-")
        if !isNegative, !take("+") { _ = take("in") }
        guard var offset = counted() else {
            index = start
            return nil
        }
        if isNegative || take("ago") { offset = offset.reversed }
        let date = offset.apply(to: .date(clock.today), clock: clock)
        guard index < words.count else { return date }
        guard case .date(let day)? = date, let time = timeAfterDay(), index == words.count else {
            index = start
            return nil
        }
        return clock.instant(day, secondOfDay: time)
    }

    /// `3 days`, `a week`, `3 business days`.
    private mutating func counted() -> DateOffset? {
        let start = index
        guard let first = word else { return nil }
        let count = first == "a" || first == "an" || first == "one" ? 1 : Self.count(first)
        guard let count else { return nil }
        index += 1
        let isBusiness = take("business") || take("working")
        guard let name = word, let unit = DateWords.unit(name), !isBusiness || unit == .day else {
            index = start
            return nil
        }
        index += 1
        return DateOffset(count: count, unit: isBusiness ? .businessDay : unit)
    }

    // MARK: Days

    private mutating func day() -> (CalendarDate, secondOfDay: Int?)? {
        let start = index
        if take("next") {
            if let found = nextSomething() { return (found, nil) }
            index = start
            return nil
        }
        if take("this"), word.flatMap({ weekdayNumber($0) }) == nil {
            index = start
            return nil
        }
        guard let word else { return nil }
        if let named = namedDay(word) {
            index += 1
            return named
        }
        let found = numericDay() ?? dayAndMonth()
        if found == nil { index = start }
        return found
    }

    private func weekdayNumber(_ word: String) -> Int? {
        DateWords.weekday(Self.bare(word), anyLanguage: clock.anyLanguage)
    }

    private mutating func nextSomething() -> CalendarDate? {
        guard let word else { return nil }
        index += 1
        let monday = clock.today.adding(days: 8 - clock.today.weekday)
        if word == "week" { return monday }
        if word == "month" {
            return DateOffset.adding(
                months: 1, to: CalendarDate(year: clock.today.year, month: clock.today.month, day: 1))
        }
        return weekdayNumber(word).map { monday.adding(days: $0 - 1) }
    }

    private mutating func namedDay(_ word: String) -> (CalendarDate, secondOfDay: Int?)? {
        let today = clock.today
        switch word {
        case "today": return (today, nil)
        case "tonight": return (today, 20 * 3_600)
        case "tomorrow": return (today.adding(days: 1), nil)
        case "yesterday": return (today.adding(days: -1), nil)
        case "eod": return (today, clock.workdayEnd)
        case "eow": return (today.adding(days: (5 - today.weekday + 7) % 7), nil)
        case "eom":
            let last = CalendarDate.length(ofMonth: today.month, year: today.year)
            return CalendarDate(year: today.year, month: today.month, day: last).map { ($0, nil) }
        case _:
            guard let weekday = weekdayNumber(word) else { return nil }
            let days = (weekday - today.weekday + 7) % 7
            isNamedLikeToday = days == 0
            return (today.adding(days: days == 0 ? 7 : days), nil)
        }
    }

    /// `2026-03-31`, `2026-03-31t17:00`, `31/03/2026`, `31.3.26`, `31/03`.
    private mutating func numericDay() -> (CalendarDate, secondOfDay: Int?)? {
        guard let word else { return nil }
        if let day = CalendarDate(word) {
            index += 1
            return (day, nil)
        }
        let halves = word.split(separator: "t", omittingEmptySubsequences: false)
        if halves.count == 2, let day = CalendarDate(String(halves[0])),
            let time = DateTimeOfDay.parse(String(halves[1]))
        {
            index += 1
            return (day, time)
        }
        guard let date = slashedDay(word) else { return nil }
        index += 1
        return (date, nil)
    }

    /// `31/03/2026`, `31.3.26`, `31/03`, in the order of the workspace settings; with dots, the day is always
    /// first.
    private func slashedDay(_ word: String) -> CalendarDate? {
        guard let separator = word.first(where: { "/.-".contains($0) }) else { return nil }
        var parts = word.split(separator: separator, omittingEmptySubsequences: false)
        if separator == ".", parts.last == "" { parts.removeLast() }
        let numbers = parts.compactMap { Self.count(String($0)).map(Int.init) }
        guard numbers.count == parts.count, (2...3).contains(parts.count),
            parts.allSatisfy({ $0.count <= 4 })
        else { return nil }
        // "by 1.5 %" does not contain a date; "bis 1.5." does.
        guard !clock.anyLanguage || separator != "." || parts.count == 3 || word.hasSuffix(".") else {
            return nil
        }
        let isDayFirst = separator == "." || clock.dayFirst
        let (day, month) = isDayFirst ? (numbers[0], numbers[1]) : (numbers[1], numbers[0])
        return date(day: day, month: month, year: numbers.count == 3 ? numbers[2] : nil)
    }

    /// `31 March [2026]`, `31st of March`, `March 31, 2026`, `1er avril`, `31 de marzo de 2026`.
    private mutating func dayAndMonth() -> (CalendarDate, secondOfDay: Int?)? {
        guard let first = word else { return nil }
        index += 1
        if let day = Self.ordinal(first) {
            if !take("of") { _ = take("de") }
            guard let name = word, let month = monthNumber(name) else { return nil }
            index += 1
            return date(day: day, month: month, year: takeYear()).map { ($0, nil) }
        }
        guard let month = monthNumber(first), let second = word, let day = Self.ordinal(second) else {
            return nil
        }
        index += 1
        return date(day: day, month: month, year: takeYear()).map { ($0, nil) }
    }

    private func monthNumber(_ word: String) -> Int? {
        DateWords.month(Self.bare(word), anyLanguage: clock.anyLanguage)
    }

    private static func bare(_ word: String) -> String {
        word.hasSuffix(".") ? String(word.dropLast()) : word
    }

    private static func ordinal(_ word: String) -> Int? {
        let digits = word.prefix { $0.isASCII && $0.isNumber }
        let suffixes = ["", "st", "nd", "rd", "th", "er", ".", "º"]
        guard digits.count <= 2, let day = Int(digits), (1...31).contains(day),
            suffixes.contains(String(word.dropFirst(digits.count)))
        else { return nil }
        return day
    }

    private mutating func takeYear() -> Int? {
        let start = index
        _ = take("de")
        if let word, word.count == 4, let year = Self.count(word), (1970...2200).contains(year) {
            index += 1
            return Int(year)
        }
        index = start
        return nil
    }

    /// Without a year: this year, or next year if the date has passed.
    private func date(day: Int, month: Int, year: Int?) -> CalendarDate? {
        if let year { return CalendarDate(year: year < 100 ? 2000 + year : year, month: month, day: day) }
        let today = clock.today
        // 29 February needs the next leap year.
        for year in today.year...(today.year + 8) {
            if let date = CalendarDate(year: year, month: month, day: day), date >= today { return date }
        }
        return nil
    }

    // MARK: Times

    private mutating func timeAfterDay() -> Int? {
        _ = take("at")
        guard let word else { return nil }
        var text = word
        if let next = words.indices.contains(index + 1) ? words[index + 1] : nil, next == "am" || next == "pm"
        {
            text += next
            index += 1
        }
        guard let time = DateTimeOfDay.parse(text) else { return nil }
        index += 1
        return time
    }
}
