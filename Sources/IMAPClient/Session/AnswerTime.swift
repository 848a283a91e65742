/// How long a server may still take over one command: a fixed time, and more for what it brings.
///
/// A pure value; only the time that was spent waiting for bytes counts. A byte now and then earns nothing: a server that
/// drips would otherwise hold the workspace's lock without end. Message data earns the time that it takes on the slowest
/// of lines. Other responses earn less, and not without end.
struct AnswerTime: Equatable {
    /// Octets of message data that earn a second.
    static let bodyRate = 64
    /// Other octets that earn a second, and the most that they earn.
    static let otherRate = 4_096
    static let mostForOther = Duration.seconds(600)

    private let bodyBefore: Int
    private var waited = Duration.zero
    private var octets = 0

    /// A command begins; `bodyOctets`: the message data that the session has seen so far.
    init(bodyOctets: Int = 0) { bodyBefore = bodyOctets }

    /// Another wait is over, and brought this many octets.
    mutating func wait(_ time: Duration, octets: Int) {
        waited += time
        self.octets += octets
    }

    /// What is left of `limit`; zero or less when the time is over.
    func left(of limit: Duration, bodyOctets: Int) -> Duration {
        let body = max(0, bodyOctets - bodyBefore)
        let forBody = Duration.milliseconds(body * 1_000 / Self.bodyRate)
        let forOther = Duration.milliseconds(max(0, octets - body) * 1_000 / Self.otherRate)
        return limit + forBody + min(Self.mostForOther, forOther) - waited
    }
}
