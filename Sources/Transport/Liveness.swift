/// How the system finds out that a silent peer is gone: a NAT that forgot the connection, a cable that was pulled, a machine
/// that slept. tcp(7).
///
/// The first probe goes out after 60 seconds of silence, the next after 20 more. The connection ends at the first probe that
/// is due once nothing came for the user timeout: after 80 seconds. Octets that are not acknowledged end it as soon.
enum Liveness {
    /// Seconds of silence before the first probe.
    static let idle = 60
    /// Seconds between two probes.
    static let interval = 20
    /// Probes without an answer.
    static let probes = 3
    /// `TCP_USER_TIMEOUT`, which Swift's Glibc module does not name.
    static let userTimeoutName: Int32 = 18
    /// Milliseconds.
    static let userTimeout = 75_000
}
