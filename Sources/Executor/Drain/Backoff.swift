import Models

/// When a step that was refused for now is tried again, and when it is given up. Seconds.
///
/// Every command keeps to this table, even one that the user runs by hand: a server that said "later" is tried later.
/// What this machine refuses (a full disk, a folder without write permission) is tried with the next run.
/// `opus outbox retry` and `opus status` are the ways to hurry, and to see why something waits.
enum Backoff {
    /// After the first refusal, the second, and so on; the last one is used for all that follow.
    static let waits: [Int64] = [30, 60, 2 * 60, 4 * 60, 8 * 60, 15 * 60]
    /// After this many refusals a step is given up and shown.
    static let attempts = 5

    /// Mail that is to be sent waits longer between its attempts, and is given up by time, not by count: a server that
    /// cannot be reached says nothing about the message.
    static let submissionWaits: [Int64] = [30, 2 * 60, 8 * 60, 30 * 60, 60 * 60, 2 * 60 * 60, 4 * 60 * 60]
    static let submissionLife: Int64 = 24 * 60 * 60

    /// How long after the final dot a copy in Sent may still appear; then opus asks the user.
    static let sentCopyPatience: Int64 = 10 * 60
    /// How long a search that the server refuses is repeated before opus asks the user.
    static let searchPatience: Int64 = 24 * 60 * 60

    /// The searches for a message whose APPEND had no answer: servers index it with a delay.
    static let settling: [Duration] = [.zero, .seconds(1), .seconds(1), .seconds(2)]

    /// The searches for a copy in Sent that a server may file on its own: the first mail is given a second for it.
    static func sentCopyLooks(known: Bool) -> [Duration] { known ? [.zero] : [.zero, .seconds(1)] }

    /// A file that another program holds is free again soon.
    static func afterBusy(_ now: Timestamp) -> Timestamp { now + waits[0] }

    /// Seconds since then. A time in the future came from a wrong clock: it counts as long ago.
    static func waited(since time: Timestamp, now: Timestamp) -> Int64 {
        time.seconds > now.seconds + Step.longestWait ? Step.longestWait : now - time
    }

    enum Verdict: Equatable {
        case again(at: Timestamp)
        case givenUp(reason: String)
    }

    /// `attempts` counts the refusal that just came.
    static func verdict(on step: Step, attempts: Int, reason: String, now: Timestamp) -> Verdict {
        guard step.submits else {
            guard attempts < Self.attempts else { return .givenUp(reason: reason) }
            return .again(at: now + wait(attempts, waits))
        }
        guard waited(since: step.triedSince ?? now, now: now) < submissionLife else {
            return .givenUp(reason: "timed out after 24 hours: \(reason)")
        }
        return .again(at: now + wait(attempts, submissionWaits))
    }

    private static func wait(_ attempts: Int, _ table: [Int64]) -> Int64 {
        table[min(max(0, attempts - 1), table.count - 1)]
    }
}

extension Timestamp {
    static func + (time: Timestamp, seconds: Int64) -> Timestamp {
        Timestamp(seconds: time.seconds + seconds)
    }
}

extension Step {
    var submits: Bool {
        if case .submit = kind { return true }
        return false
    }
}
