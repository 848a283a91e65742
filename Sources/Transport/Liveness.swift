/// How the system detects a dead connection: a router forgot it, a cable was pulled, or a machine slept. tcp(7).
///
/// It sends the first probe after 60 seconds of silence and the next ones every 20 seconds. The connection ends at the
/// first due probe after the user timeout without an answer, that is after 80 seconds. Unacknowledged data ends it as
/// soon.
enum Liveness {
    /// Seconds of silence before the first probe.
    static let idle = 60
    /// Seconds between two probes.
    static let interval = 20
    /// The number of unanswered probes.
    static let probes = 3
    /// `TCP_USER_TIMEOUT`, which Swift's Glibc module does not name.
    static let userTimeoutName: Int32 = 18
    /// Milliseconds.
    static let userTimeout = 75_000
}
