public import Models

/// Date phrases: `tomorrow`, `+3 business days`, `31 March 17:00`, `3 days before friday`.
///
/// The result is a date without a time unless the phrase has one. `friday` is the next Friday after today,
/// `next friday` the one of next week. A time alone means today if it is still in the future, otherwise
/// tomorrow. A phrase is resolved with a fixed `now` and time zone, so that it has the same result in every
/// run of the same plan.
public enum DatePhrase {
    /// nil if the text is not a date phrase, or if the date does not exist.
    public static func resolve(
        _ text: String, now: Timestamp, timeZone: String, dayFirst: Bool = true, workdayEnd: Int = 18 * 3_600,
        businessDays: Set<Int> = Set(1...5)
    ) -> TodoDate? {
        guard let zone = Zone(timeZone), !businessDays.isEmpty else { return nil }
        var clock = DateClock(now: now, zone: zone, dayFirst: dayFirst, workdayEnd: workdayEnd)
        clock.businessDays = businessDays
        return resolve(text, clock: clock)
    }

    static func resolve(_ text: String, clock: DateClock) -> TodoDate? {
        guard text.utf8.count <= 200 else { return nil }
        let trimmed = text.trimmingBlanks()
        if let stamp = Timestamp(rfc3339: trimmed) { return .instant(stamp) }
        var parser = DatePhraseParser(trimmed, clock: clock)
        return parser.parse()
    }

    /// The point in time of a phrase: a date without a time means `secondOfDay`. A time in a zone that is not known counts
    /// in `timeZone`.
    public static func instant(
        of date: TodoDate, timeZone: String, secondOfDay: Int = 8 * 3_600
    ) -> Timestamp? {
        switch date {
        case .instant(let time): return time
        case .date(let day):
            return Zone(timeZone)?.instant(LocalDateTime(date: day, secondOfDay: secondOfDay))
        case .local(let reading, let zone):
            return (zone.flatMap { Zone(tzid: $0) } ?? Zone(timeZone))?.instant(reading)
        }
    }

    /// Whether a text is a date phrase.
    static func isValid(_ text: String, dayFirst: Bool = true) -> Bool {
        let clock = DateClock(
            now: Timestamp(seconds: 1_767_225_600), zone: .utc, dayFirst: dayFirst, workdayEnd: 18 * 3_600)
        return resolve(text, clock: clock) != nil
    }

    /// `3 days`, `36h`, `2w`, `P3D`: a duration in seconds; months and years count as 30 and 365 days.
    static func duration(_ text: String) -> Int64? {
        guard text.utf8.count <= 60 else { return nil }
        if let period = ISODuration(text) {
            return (Int64(period.months) * 30 + Int64(period.days)) * 86_400 + period.seconds
        }
        let words = DatePhraseParser.words(text)
        guard words.count == 2, let count = DatePhraseParser.count(words[0]),
            let unit = DateWords.unit(words[1])
        else { return nil }
        switch unit {
        case .minute: return count * 60
        case .hour: return count * 3_600
        case .day: return count * 86_400
        // Their length depends on the date.
        case .businessDay: return nil
        case .week: return count * 604_800
        case .month: return count * 30 * 86_400
        case .year: return count * 365 * 86_400
        }
    }
}

/// The clock, time zone and settings for resolving phrases.
struct DateClock: Sendable {
    var now: Timestamp
    var zone: Zone
    /// Whether `03/04` is the third of April.
    var dayFirst: Bool
    /// The end of the working day (EOD), in seconds of the day.
    var workdayEnd: Int
    /// 1 is Monday. Never empty.
    var businessDays = Set(1...5)
    /// Dates in mail may also be in French, German and Spanish.
    var anyLanguage = false

    var today: CalendarDate { zone.local(now).date }
}

/// `P3D`, `P1W`, `P1Y2M`, `PT2H30M`. RFC 3339 appendix A (ISO 8601 durations).
struct ISODuration {
    var months = 0
    var days = 0
    var seconds: Int64 = 0

    init?(_ text: String) {
        let letters = Array(text.uppercased())
        guard letters.first == "P", letters.count >= 3, letters.count <= 30 else { return nil }
        var isTime = false
        var digits = ""
        for letter in letters.dropFirst() {
            if letter == "T", !isTime, digits.isEmpty {
                isTime = true
            } else if letter.isASCII, letter.isNumber {
                digits.append(letter)
            } else {
                guard let count = Int(digits), count <= 100_000 else { return nil }
                digits = ""
                switch (letter, isTime) {
                case ("Y", false): months += count * 12
                case ("M", false): months += count
                case ("W", false): days += count * 7
                case ("D", false): days += count
                case ("H", true): seconds += Int64(count) * 3_600
                case ("M", true): seconds += Int64(count) * 60
                case ("S", true): seconds += Int64(count)
                case _: return nil
                }
            }
        }
        guard digits.isEmpty, letters.last != "T" else { return nil }
    }
}

extension StringProtocol {
    func trimmingBlanks() -> String {
        var rest = self[...]
        while rest.first?.isWhitespace ?? false { rest = rest.dropFirst() }
        while rest.last?.isWhitespace ?? false { rest = rest.dropLast() }
        return String(rest)
    }
}
