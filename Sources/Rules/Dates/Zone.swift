import Foundation
public import Models

/// The wall clock of one time zone: local readings to points in time and back.
///
/// A local time that does not exist (clocks go forward) moves forward by the gap; one that exists twice
/// (clocks go back) means the first.
public struct Zone: Sendable {
    public let identifier: String
    private let zone: TimeZone

    /// nil when the zone database has no such name.
    public init?(_ identifier: String) {
        guard identifier.utf8.count <= 64, let zone = TimeZone(identifier: identifier) else { return nil }
        self.identifier = identifier
        self.zone = zone
    }

    private init() {
        identifier = "UTC"
        zone = .gmt
    }

    public static let utc = Zone()

    /// Seconds east of Greenwich at that time.
    public func offset(at time: Timestamp) -> Int64 {
        Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time.seconds))))
    }

    /// The local time at that point in time.
    public func local(_ time: Timestamp) -> LocalDateTime {
        LocalDateTime(secondsSinceEpoch: time.seconds + offset(at: time))
    }

    /// The point in time of a local time.
    public func instant(_ local: LocalDateTime) -> Timestamp {
        let reading = Timestamp(seconds: local.secondsSinceEpoch)
        let before = offset(at: reading - 86_400)
        let first = reading - before
        if offset(at: first) == before { return first }
        let after = offset(at: reading + 86_400)
        let second = reading - after
        if offset(at: second) == after { return second }
        // In the gap: read with the clock as it was before, which lands after the gap.
        return first
    }

    static var identifiers: [String] { TimeZone.knownTimeZoneIdentifiers }
}
