/// How long a server may take for one command: a fixed time, and additional time for the data that it sends.
///
/// A pure value that counts only the time spent waiting for bytes. Single bytes now and then add no time: otherwise a
/// slow server could hold the workspace's lock forever. Message data adds the time that it needs on the slowest link.
/// Other responses add less, up to a limit.
struct AnswerTime: Equatable {
    /// Octets of message data that add a second.
    static let bodyRate = 64
    /// Octets of other data that add a second. The next constant limits their time.
    static let otherRate = 4_096
    static let mostForOther = Duration.seconds(600)

    private let bodyBefore: Int
    private var waited = Duration.zero
    private var octets = 0

    /// A command begins; `bodyOctets`: the message data of the session so far.
    init(bodyOctets: Int = 0) { bodyBefore = bodyOctets }

    /// A wait has ended with this many octets.
    mutating func wait(_ time: Duration, octets: Int) {
        waited += time
        self.octets += octets
    }

    /// The rest of `limit`; zero or less: the time is over.
    func left(of limit: Duration, bodyOctets: Int) -> Duration {
        let body = max(0, bodyOctets - bodyBefore)
        let forBody = Duration.milliseconds(body * 1_000 / Self.bodyRate)
        let forOther = Duration.milliseconds(max(0, octets - body) * 1_000 / Self.otherRate)
        return limit + forBody + min(Self.mostForOther, forOther) - waited
    }
}
