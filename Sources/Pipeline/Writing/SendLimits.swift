import Accounts
import Models

/// How much mail a command may send: a mistake in a script is stopped before the first mail, and not after
/// the thousandth.
///
/// The number of mails to one address is not limited here, because a user may well write to a friend four
/// times an hour. That limit is for rules (``SendAllowance``).
struct SendLimits {
    let settings: SendSettings

    init(_ settings: SendSettings) { self.settings = settings }

    static let hour: Int64 = 3_600

    /// Throws if this number of mails exceeds a limit.
    func check(_ count: Int, sent: [SentMail], now: Timestamp, zone: ZoneClock) throws(Problem) {
        guard count <= settings.perRun else {
            throw tooMany(
                "\(counted(count, "mail")) at once, more than max-per-run: \(settings.perRun)",
                "send fewer")
        }
        let recent = sent.filter { now - $0.at < Self.hour }
        let next =
            recent.map(\.at).min().map { "the next can be sent at \(clock($0 + Self.hour, zone))" }
            ?? "send fewer"
        guard recent.count + count <= settings.perHour else {
            throw tooMany(
                "\(counted(recent.count, "mail was", "mails were")) sent within the hour, and \(count) more would be more than "
                    + "max-per-hour: \(settings.perHour)", next)
        }
    }

    private func clock(_ time: Timestamp, _ zone: ZoneClock) -> String {
        String(zone.local(time).clock.prefix(5))
    }

    private func tooMany(_ what: String, _ next: String) -> Problem {
        Problem(
            "send-limit", exit: .temporary, message: "nothing was sent: \(what)",
            next: [next, "raise it under send: in opus.yaml"])
    }
}
