import Foundation
public import Models
import Rules

/// The clock of a session: the system's, or the fixed time of `--now`.
public struct SessionClock: Sendable {
    private let fixed: Timestamp?

    public init(fixed: Timestamp? = nil) { self.fixed = fixed }

    public var now: Timestamp { fixed ?? Timestamp(seconds: Int64(Date().timeIntervalSince1970)) }
}

/// Formats times in a time zone.
public struct ZoneClock: Sendable {
    public let zone: String
    private let timeZone: TimeZone

    public init(zone: String) {
        self.zone = zone
        timeZone = TimeZone(identifier: zone) ?? TimeZone(secondsFromGMT: 0) ?? .current
    }

    public func local(_ time: Timestamp) -> LocalDateTime {
        LocalDateTime(secondsSinceEpoch: time.seconds + Int64(offset(at: time)))
    }

    public func offset(at time: Timestamp) -> Int {
        timeZone.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval(time.seconds)))
    }

    /// The day of a task's date.
    public func day(of date: TodoDate) -> CalendarDate {
        switch settled(date) {
        case .date(let day): day
        case .instant(let time): local(time).date
        case .local(let local, zone: _): local.date
        }
    }

    /// A time in another zone as a point in time. A time in a zone that is not known stays as it is written.
    public func settled(_ date: TodoDate) -> TodoDate {
        guard case .local(let local, zone: .some(let name)) = date, let zone = Zone(tzid: name) else {
            return date
        }
        return .instant(zone.instant(local))
    }

    /// A time for people, to the minute: `2026-03-11 08:00`.
    public func minute(_ time: Timestamp) -> String {
        String(rfc3339(time).prefix(16).replacing("T", with: " "))
    }

    /// RFC 3339 with the zone's offset.
    public func rfc3339(_ time: Timestamp) -> String {
        let local = local(time)
        let offset = offset(at: time)
        let sign = offset < 0 ? "-" : "+"
        let minutes = abs(offset) / 60
        let digits = { (value: Int) in value < 10 ? "0\(value)" : "\(value)" }
        return "\(local.date)T\(local.clock)\(sign)\(digits(minutes / 60)):\(digits(minutes % 60))"
    }
}
