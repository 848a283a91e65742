/// How long a connection can be silent before a proxy cuts it, as learned from earlier cuts.
///
/// A pure value. If a proxy cuts silent connections after 8 seconds, a watch would log in and sync every few seconds; a
/// NOOP in time prevents that.
public struct SilenceLimit: Equatable, Sendable {
    /// A cut after a shorter silence has another cause, and NOOPs at such intervals would burden the server.
    static let shortest = Duration.seconds(2)
    /// A learned limit expires after this time, because the network may have changed.
    static let memory = Duration.seconds(60 * 60)

    private var learned: Duration?
    private var since: ContinuousClock.Instant?

    public init() {}

    /// The connection was cut after this silence.
    public mutating func learn(_ silence: Duration, at now: ContinuousClock.Instant = .now) {
        let limit = silence * 3 / 4
        guard limit >= Self.shortest, limit < current(at: now) ?? IdleTiming().silence else { return }
        learned = limit
        since = now
    }

    /// nil: no limit is known.
    public func current(at now: ContinuousClock.Instant = .now) -> Duration? {
        guard let learned, let since, now - since < Self.memory else { return nil }
        return learned
    }

    /// The times of a wait that respects the limit.
    public func timing(limit: Duration?) -> IdleTiming {
        var timing = IdleTiming(limit: limit)
        if let current = current() { timing.silence = min(timing.silence, current) }
        return timing
    }
}
