/// How long a connection may be silent before something in between cuts it: learned from the cuts.
///
/// A pure value. A proxy that ends silent connections after 8 seconds would make a watch log in and sync again every few
/// seconds; with NOOP in time it stays.
public struct SilenceLimit: Equatable, Sendable {
    /// A cut that comes sooner is not about silence, and asking more often would be rude.
    static let shortest = Duration.seconds(2)
    /// A learned limit is doubted after this long: the network may be another one.
    static let memory = Duration.seconds(60 * 60)

    private var learned: Duration?
    private var since: ContinuousClock.Instant?

    public init() {}

    /// The connection was cut after a silence of this length.
    public mutating func learn(_ silence: Duration, at now: ContinuousClock.Instant = .now) {
        let limit = silence * 3 / 4
        guard limit >= Self.shortest, limit < current(at: now) ?? IdleTiming().silence else { return }
        learned = limit
        since = now
    }

    /// nil: nothing is known to cut.
    public func current(at now: ContinuousClock.Instant = .now) -> Duration? {
        guard let learned, let since, now - since < Self.memory else { return nil }
        return learned
    }

    /// The times of a wait that keeps to it.
    public func timing(limit: Duration?) -> IdleTiming {
        var timing = IdleTiming(limit: limit)
        if let current = current() { timing.silence = min(timing.silence, current) }
        return timing
    }
}
