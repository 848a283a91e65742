/// INTERNALDATE as seconds since 1970: `17-Jul-1996 02:44:25 -0700`. RFC 3501 §9 (`date-time`).
public enum InternalDate {
    private static let months = [
        "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC",
    ]
    /// Each name as one number, for fast comparison.
    fileprivate static let monthNames = months.map { $0.utf8.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } }

    /// Reads the text between the quotes; the space before a one-digit day is optional. nil: anything else.
    public static func parse(_ bytes: some Collection<UInt8>) -> Int64? {
        var scanner = Scanner(rest: bytes.prefix(41))
        guard bytes.count <= 40 else { return nil }
        scanner.skipSpaces()
        guard let day = scanner.number(digits: 1...2), (1...31).contains(day), scanner.take(.minus),
            let month = scanner.month(), scanner.take(.minus),
            let year = scanner.number(digits: 4...4), scanner.take(.space)
        else { return nil }
        scanner.skipSpaces()
        guard let hour = scanner.number(digits: 2...2), hour < 24, scanner.take(.colon),
            let minute = scanner.number(digits: 2...2), minute < 60, scanner.take(.colon),
            let second = scanner.number(digits: 2...2), second <= 60, scanner.take(.space)
        else { return nil }
        scanner.skipSpaces()
        guard let offset = scanner.zone() else { return nil }
        scanner.skipSpaces()
        guard scanner.rest.isEmpty else { return nil }
        return days(year: year, month: month, day: day) * 86_400
            + hour * 3_600 + minute * 60 + second - offset
    }

    /// Reads the form of a mail's Date field: `Wed, 17 Jul 1996 02:44:25 -0700`. nil: anything else.
    static func parseMailDate(_ bytes: some Collection<UInt8>) -> Int64? {
        var fields = bytes.prefix(60).split(separator: .space).map { Array($0) }
        if fields.first?.last == .comma { fields.removeFirst() }
        guard fields.count >= 5 else { return nil }
        let date = fields[0] + [.minus] + fields[1] + [.minus] + fields[2]
        return parse(date + [.space] + fields[3] + [.space] + fields[4])
    }

    /// The time in UTC, without quotes; the year is limited to four digits.
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

    /// `17-Jul-1996`, the day in UTC. RFC 3501 §9 (`date`).
    static func formatDay(_ seconds: Int64) -> String {
        let words = format(seconds).split(separator: " ")
        return words.first.map(String.init) ?? ""
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

/// Octets of a date, taken from the front.
private struct Scanner<Octets: Collection<UInt8>> where Octets.SubSequence == Octets {
    var rest: Octets

    mutating func skipSpaces() {
        while rest.first == .space { rest = rest.dropFirst() }
    }

    mutating func take(_ byte: UInt8) -> Bool {
        guard rest.first == byte else { return false }
        rest = rest.dropFirst()
        return true
    }

    mutating func number(digits: ClosedRange<Int>) -> Int64? {
        var value: Int64 = 0
        var count = 0
        while let byte = rest.first, byte.isDigit, count < digits.upperBound {
            value = value * 10 + Int64(byte - 0x30)
            count += 1
            rest = rest.dropFirst()
        }
        return digits.contains(count) ? value : nil
    }

    /// 1 to 12, from three letters in any case.
    mutating func month() -> Int64? {
        var name: UInt32 = 0
        for _ in 0..<3 {
            guard let byte = rest.first else { return nil }
            name = name << 8 | UInt32(byte.uppercased)
            rest = rest.dropFirst()
        }
        return InternalDate.monthNames.firstIndex(of: name).map { Int64($0) + 1 }
    }

    /// Seconds east of Greenwich: `-0700`.
    mutating func zone() -> Int64? {
        let isWest = rest.first == .minus
        guard take(.plus) || take(.minus), let hours = number(digits: 2...2), hours < 24,
            let minutes = number(digits: 2...2), minutes < 60
        else { return nil }
        return (hours * 3_600 + minutes * 60) * (isWest ? -1 : 1)
    }
}
