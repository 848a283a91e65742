/// The server's idea of time. It stands still until a test moves it.
///
/// Seconds since 1970. Nothing in the server asks the machine for the time, so a day of waiting costs nothing.
public struct VirtualClock: Equatable, Sendable {
    public private(set) var now: Int64

    public init(now: Int64 = 1_750_000_000) { self.now = now }

    /// Time goes by; never back.
    public mutating func advance(_ seconds: Int64) { now += max(0, seconds) }
}

/// Dates as INTERNALDATE has them. RFC 3501 §9 (`date-time`).
enum WireDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `"17-Jul-2025 02:44:25 +0000"`, with its quotes.
    static func text(_ seconds: Int64) -> String {
        let (year, month, day) = civil(Int(seconds / 86_400))
        let rest = Int(seconds % 86_400)
        let time = [rest / 3_600, rest / 60 % 60, rest % 60].map(twoDigits).joined(separator: ":")
        let padded = day < 10 ? " \(day)" : "\(day)"
        return "\"\(padded)-\(months[month - 1])-\(year) \(time) +0000\""
    }

    /// Seconds of `17-Jul-2025`, or of `17-Jul-2025 02:44:25 +0200`.
    static func seconds(_ text: String) -> Int64? {
        let words = text.split(separator: " ")
        guard let date = words.first else { return nil }
        let parts = date.split(separator: "-")
        guard parts.count == 3, let day = Int(parts[0]), let year = Int(parts[2]),
            let month = months.firstIndex(where: { $0.lowercased() == parts[1].lowercased() })
        else { return nil }
        var seconds = Int64(days(year, month + 1, day)) * 86_400
        guard words.count >= 2 else { return seconds }
        let clock = words[1].split(separator: ":").compactMap { Int64($0) }
        guard clock.count == 3 else { return nil }
        seconds += clock[0] * 3_600 + clock[1] * 60 + clock[2]
        if words.count > 2, let zone = Int64(words[2]) {
            seconds -= zone / 100 * 3_600 + zone % 100 * 60
        }
        return seconds
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// Days since 1970 of a date of the Gregorian calendar. The year begins in March, so that a leap day ends it.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth + (shiftedMonth < 10 ? 3 : -9)
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        )
    }
}
