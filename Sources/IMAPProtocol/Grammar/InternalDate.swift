/// INTERNALDATE as seconds since 1970: `17-Jul-1996 02:44:25 -0700`. RFC 3501 §9 (`date-time`).
public enum InternalDate {
    private static let months = [
        "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC",
    ]

    /// Reads the text between the quotes; a day of one digit with or without its space. Nil for anything else.
    public static func parse(_ bytes: some Collection<UInt8>) -> Int64? {
        let fields = bytes.split(separator: .space)
        guard fields.count == 3, bytes.count <= 40 else { return nil }
        let date = fields[0].split(separator: .minus, omittingEmptySubsequences: false)
        let clock = fields[1].split(separator: .colon, omittingEmptySubsequences: false)
        guard date.count == 3, clock.count == 3,
            let day = number(date[0], digits: 1...2), (1...31).contains(day),
            let month = months.firstIndex(of: date[1].uppercasedWord),
            let year = number(date[2], digits: 4...4),
            let hour = number(clock[0], digits: 2...2), hour < 24,
            let minute = number(clock[1], digits: 2...2), minute < 60,
            let second = number(clock[2], digits: 2...2), second <= 60,
            let offset = zone(Array(fields[2]))
        else { return nil }
        return days(year: year, month: Int64(month) + 1, day: day) * 86_400
            + hour * 3_600 + minute * 60 + second - offset
    }

    /// The time in UTC, without quotes; the year is kept within four digits.
    public static func format(_ seconds: Int64) -> String {
        let clamped = min(max(seconds, -62_167_219_200), 253_402_300_799)
        let day = clamped >= 0 ? clamped / 86_400 : (clamped - 86_399) / 86_400
        let second = clamped - day * 86_400
        let date = civil(day)
        let month = months[Int(date.month) - 1]
        let name = month.prefix(1) + month.dropFirst().lowercased()
        return "\(padded(date.day, 2))-\(name)-\(padded(date.year, 4)) "
            + "\(padded(second / 3_600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2)) +0000"
    }

    private static func number(_ text: some Collection<UInt8>, digits: ClosedRange<Int>) -> Int64? {
        guard digits.contains(text.count) else { return nil }
        var value: Int64 = 0
        for byte in text {
            guard byte.isDigit else { return nil }
            value = value * 10 + Int64(byte - 0x30)
        }
        return value
    }

    private static func zone(_ text: [UInt8]) -> Int64? {
        guard text.count == 5, text[0] == .plus || text[0] == .minus,
            let hours = number(text[1...2], digits: 2...2), hours < 24,
            let minutes = number(text[3...4], digits: 2...2), minutes < 60
        else { return nil }
        let offset = hours * 3_600 + minutes * 60
        return text[0] == .minus ? -offset : offset
    }

    private static func padded(_ value: Int64, _ width: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }

    /// Days since 1970-01-01 in the proleptic Gregorian calendar; a year begins in March here.
    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}
