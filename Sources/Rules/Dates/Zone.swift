import Foundation
public import Models

/// The local time of one time zone: converts local times to points in time and back.
///
/// A local time that does not exist (clocks go forward) is moved forward by the gap. A local time that exists
/// twice (clocks go back) means the first one.
public struct Zone: Sendable {
    public let identifier: String
    private let zone: TimeZone

    /// nil if the time zone database does not contain the name.
    public init?(_ identifier: String) {
        guard identifier.utf8.count <= 64, let zone = TimeZone(identifier: identifier) else { return nil }
        self.identifier = identifier
        self.zone = zone
    }

    /// The zone of a calendar file, whose name may be one of Windows or of a vendor; nil: it is not known.
    public init?(tzid: String) {
        guard let name = ZoneName.known(tzid, isKnown: { Zone($0) != nil }) else { return nil }
        self.init(name)
    }

    private init() {
        identifier = "UTC"
        zone = .gmt
    }

    public static let utc = Zone()

    /// The offset from UTC at that time in seconds; positive in the east.
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
        // In the gap: computed with the offset before the change, which gives a time after the gap.
        return first
    }

    static var identifiers: [String] { TimeZone.knownTimeZoneIdentifiers }
}
