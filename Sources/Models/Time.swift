/// Points in time and calendar days, as values without a clock or a zone database.

/// A point in time: seconds since 1970-01-01T00:00:00Z.
public struct Timestamp: Hashable, Comparable, Codable, Sendable {
    public var seconds: Int64

    public init(seconds: Int64) { self.seconds = seconds }

    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let value = Timestamp(rfc3339: text) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "\(text) is not an RFC 3339 time"))
        }
        self = value
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rfc3339)
    }

    public static func < (a: Self, b: Self) -> Bool { a.seconds < b.seconds }
    public static func + (time: Self, seconds: Int64) -> Self { .init(seconds: time.seconds + seconds) }
    public static func - (time: Self, seconds: Int64) -> Self { .init(seconds: time.seconds - seconds) }
    public static func - (a: Self, b: Self) -> Int64 { a.seconds - b.seconds }
}

extension Timestamp {
    /// `2026-03-31T15:00:00Z`. RFC 3339 §5.6.
    public var rfc3339: String {
        let local = LocalDateTime(secondsSinceEpoch: seconds)
        return "\(local.date)T\(local.clock)Z"
    }

    /// Reads `YYYY-MM-DDThh:mm:ss[.fff](Z|±hh:mm)`; nil for anything else. RFC 3339 §5.6.
    public init?(rfc3339 text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes.count <= 40,
            bytes[10] == UInt8(ascii: "T") || bytes[10] == UInt8(ascii: "t"),
            let date = CalendarDate(String(text.prefix(10))),
            bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
            let hour = Self.number(bytes[11..<13]), hour < 24,
            let minute = Self.number(bytes[14..<16]), minute < 60,
            let second = Self.number(bytes[17..<19]), second <= 60
        else { return nil }
        var rest = bytes[19...]
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst().drop { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        }
        guard let offset = Self.offset(rest) else { return nil }
        self.init(seconds: date.daysSinceEpoch * 86_400 + hour * 3_600 + minute * 60 + second - offset)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        var value: Int64 = 0
        for digit in digits {
            guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
            value = value * 10 + Int64(digit - UInt8(ascii: "0"))
        }
        return digits.isEmpty ? nil : value
    }

    private static func offset(_ text: ArraySlice<UInt8>) -> Int64? {
        if text.count == 1, let zulu = text.first, zulu == UInt8(ascii: "Z") || zulu == UInt8(ascii: "z") {
            return 0
        }
        let bytes = Array(text)
        guard bytes.count == 6, bytes[3] == UInt8(ascii: ":"),
            bytes[0] == UInt8(ascii: "+") || bytes[0] == UInt8(ascii: "-"),
            let hours = number(bytes[1..<3]), hours < 24, let minutes = number(bytes[4..<6]), minutes < 60
        else { return nil }
        let value = hours * 3_600 + minutes * 60
        return bytes[0] == UInt8(ascii: "-") ? -value : value
    }
}

/// A day of the Gregorian calendar, without a zone: `2026-03-31`.
public struct CalendarDate: Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
    public let year: Int
    public let month: Int
    public let day: Int

    /// nil for a day that no calendar has.
    public init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month), day >= 1,
            day <= Self.length(ofMonth: month, year: year)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// Reads `YYYY-MM-DD`.
    public init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard text.utf8.count == 10, parts.count == 3, parts[0].count == 4, parts[1].count == 2,
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2])
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// The day that begins `days` days after 1970-01-01. Proleptic Gregorian; years are clamped to 1…9999.
    public init(daysSinceEpoch days: Int64) {
        let clamped = min(max(days, -719_162), 2_932_896)
        let shifted = clamped + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
        month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
        year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
    }

    public var daysSinceEpoch: Int64 {
        let shiftedYear = Int64(month <= 2 ? year - 1 : year)
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * Int64(month > 2 ? month - 3 : month + 9) + 2) / 5 + Int64(day) - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    public func adding(days: Int) -> CalendarDate {
        CalendarDate(daysSinceEpoch: daysSinceEpoch + Int64(days))
    }

    /// 1 is Monday, 7 is Sunday (ISO 8601).
    public var weekday: Int { Int(((daysSinceEpoch + 3) % 7 + 7) % 7) + 1 }

    public static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
        case 4, 6, 9, 11: 30
        case _: 31
        }
    }

    public var description: String {
        Self.padded(year, 4) + "-" + Self.padded(month, 2) + "-" + Self.padded(day, 2)
    }

    public static func < (a: Self, b: Self) -> Bool { (a.year, a.month, a.day) < (b.year, b.month, b.day) }

    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let value = CalendarDate(text) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "\(text) is not a date"))
        }
        self = value
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

/// A wall-clock reading: a day and a time of day, without a zone.
public struct LocalDateTime: Hashable, Comparable, Codable, Sendable {
    public let date: CalendarDate
    /// Seconds after midnight, 0 ..< 86,400.
    public let secondOfDay: Int

    public init(date: CalendarDate, secondOfDay: Int) {
        self.date = date
        self.secondOfDay = min(max(secondOfDay, 0), 86_399)
    }

    public init(date: CalendarDate, hour: Int, minute: Int, second: Int = 0) {
        self.init(date: date, secondOfDay: hour * 3_600 + minute * 60 + second)
    }

    /// The reading of a UTC clock (or of any clock whose offset was added before).
    public init(secondsSinceEpoch seconds: Int64) {
        let days = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
        self.init(date: CalendarDate(daysSinceEpoch: days), secondOfDay: Int(seconds - days * 86_400))
    }

    public var hour: Int { secondOfDay / 3_600 }
    public var minute: Int { secondOfDay / 60 % 60 }
    public var second: Int { secondOfDay % 60 }

    /// The reading as seconds, as if the clock were a UTC clock.
    public var secondsSinceEpoch: Int64 { date.daysSinceEpoch * 86_400 + Int64(secondOfDay) }

    /// `hh:mm:ss`.
    public var clock: String {
        [hour, minute, second].map { CalendarDate.padded($0, 2) }.joined(separator: ":")
    }

    public static func < (a: Self, b: Self) -> Bool { (a.date, a.secondOfDay) < (b.date, b.secondOfDay) }
}
