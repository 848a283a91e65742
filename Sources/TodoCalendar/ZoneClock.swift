import Foundation
public import Models

/// Wall-clock readings and points in time, through the zone database of the system.
public enum ZoneClock {
    /// The IANA name behind a TZID: itself, what follows a vendor's prefix, or a common Windows name.
    public static func name(of tzid: String) -> String? {
        if zone(tzid) != nil { return tzid }
        let parts = tzid.split(separator: "/")
        for count in [3, 2] where parts.count > count {
            let suffix = parts.suffix(count).joined(separator: "/")
            if zone(suffix) != nil { return suffix }
        }
        return windowsZones[tzid]
    }

    /// The point in time at which clocks in the zone show the reading; in a gap, as if the clock had not moved.
    public static func instant(of local: LocalDateTime, in tzid: String) -> Timestamp? {
        guard let zone = name(of: tzid).flatMap(zone) else { return nil }
        let reading = local.secondsSinceEpoch
        let guess = reading - offset(zone, at: reading)
        return Timestamp(seconds: reading - offset(zone, at: guess))
    }

    public static func local(at instant: Timestamp, in tzid: String) -> LocalDateTime? {
        guard let zone = name(of: tzid).flatMap(zone) else { return nil }
        return LocalDateTime(secondsSinceEpoch: instant.seconds + offset(zone, at: instant.seconds))
    }

    /// Whether two dates of a file mean the same: a program may have rewritten `TZID=` as UTC.
    public static func isSame(_ a: TodoDate?, _ b: TodoDate?) -> Bool {
        guard a != b, let a, let b else { return a == b }
        guard let first = instant(a), let second = instant(b) else { return false }
        return first == second
    }

    /// nil for a day and for a floating time.
    static func instant(_ date: TodoDate) -> Timestamp? {
        switch date {
        case .date, .local(_, zone: nil): nil
        case .instant(let instant): instant
        case .local(let local, zone: .some(let tzid)): instant(of: local, in: tzid)
        }
    }

    private static func zone(_ name: String) -> TimeZone? {
        // Foundation also takes "GMT+2" and abbreviations, which mean different things to different programs.
        guard name.contains("/") || name == "UTC" else { return nil }
        return TimeZone(identifier: name)
    }

    private static func offset(_ zone: TimeZone, at seconds: Int64) -> Int64 {
        Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval(seconds))))
    }

    /// The Windows names that Outlook and Exchange write, by CLDR's territory 001; the rest stay unknown.
    private static let windowsZones: [String: String] = [
        "AUS Eastern Standard Time": "Australia/Sydney",
        "Arabian Standard Time": "Asia/Dubai",
        "Argentina Standard Time": "America/Buenos_Aires",
        "Atlantic Standard Time": "America/Halifax",
        "Central Europe Standard Time": "Europe/Budapest",
        "Central European Standard Time": "Europe/Warsaw",
        "Central Standard Time": "America/Chicago",
        "China Standard Time": "Asia/Shanghai",
        "E. South America Standard Time": "America/Sao_Paulo",
        "Eastern Standard Time": "America/New_York",
        "Egypt Standard Time": "Africa/Cairo",
        "FLE Standard Time": "Europe/Kiev",
        "GMT Standard Time": "Europe/London",
        "GTB Standard Time": "Europe/Bucharest",
        "Greenwich Standard Time": "Atlantic/Reykjavik",
        "Hawaiian Standard Time": "Pacific/Honolulu",
        "India Standard Time": "Asia/Calcutta",
        "Israel Standard Time": "Asia/Jerusalem",
        "Korea Standard Time": "Asia/Seoul",
        "Mountain Standard Time": "America/Denver",
        "New Zealand Standard Time": "Pacific/Auckland",
        "Pacific Standard Time": "America/Los_Angeles",
        "Romance Standard Time": "Europe/Paris",
        "Russian Standard Time": "Europe/Moscow",
        "SE Asia Standard Time": "Asia/Bangkok",
        "Singapore Standard Time": "Asia/Singapore",
        "South Africa Standard Time": "Africa/Johannesburg",
        "Tokyo Standard Time": "Asia/Tokyo",
        "Turkey Standard Time": "Europe/Istanbul",
        "UTC": "UTC",
        "W. Europe Standard Time": "Europe/Berlin",
    ]
}
