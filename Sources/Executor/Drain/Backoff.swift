import MailStore
import Models

/// When a temporarily refused step is tried again, and when it is given up. In seconds.
///
/// Every command follows this table, even one that the user runs by hand. A failure on this machine (a full
/// disk, a folder without write permission) is tried again in the next run. `opus outbox retry` tries at
/// once, and `opus status` shows why a step waits.
enum Backoff {
    /// The wait after the first refusal, the second, and so on.
    static let waits: [Int64] = [30, 60, 2 * 60, 4 * 60, 8 * 60, 15 * 60]
    /// After this many refusals, opus gives up the step and reports it.
    static let attempts = 5

    /// The waits of mail, and of its copy in Sent, which cannot be made again. They are given up after a time instead of
    /// a number of attempts, because an unreachable server says nothing about the message. The last value applies to all
    /// further attempts.
    static let submissionWaits: [Int64] = [30, 2 * 60, 8 * 60, 30 * 60, 60 * 60, 2 * 60 * 60, 4 * 60 * 60]
    static let submissionLife: Int64 = 24 * 60 * 60
    /// How often at least opus tries to reach a server before it gives up the mail: a laptop may sleep for days.
    static let reachingAttempts = 5

    /// How long after the final dot the copy may still appear in Sent; then opus asks the user.
    static let sentCopyPatience: Int64 = 10 * 60
    /// How long opus repeats a search that the server refuses, before it asks the user.
    static let searchPatience: Int64 = 24 * 60 * 60

    /// Delays of the searches for a message after an APPEND without an answer: servers index it with a delay.
    static let settling: [Duration] = [.zero, .seconds(1), .seconds(1), .seconds(2)]

    /// Delays of the searches for a copy in Sent that the server may save itself. As long as opus does not know
    /// whether the server does, it waits one second for the copy; longer if the server saved an earlier one.
    static func sentCopyLooks(_ keeper: SentCopyKeeper?) -> [Duration] {
        switch keeper {
        case .us: [.zero]
        case .server: settling
        case nil: [.zero, .seconds(1)]
        }
    }

    /// After the connection was lost at a step this often, the step waits, so that the steps after it get their turn.
    private static let losses = 3

    /// When a step is tried again at which the connection was lost so often; nil: by the next drain. It is never given
    /// up, because a bad network looks the same.
    static func afterLosses(_ count: Int, now: Timestamp) -> Timestamp? {
        count < losses ? nil : now + wait(count - losses + 1, waits)
    }

    /// How many steps one command may have, if the connection was lost at one with so many attempts. So the step that is
    /// the cause is found.
    static func groupSize(_ size: Int, attempts: Int) -> Int {
        switch attempts {
        case ...1: size
        case 2: max(1, size / 8)
        case _: 1
        }
    }

    /// A file that another program has locked is usually free again soon.
    static func afterBusy(_ now: Timestamp) -> Timestamp { now + waits[0] }

    /// Seconds since `time`. A time far in the future comes from a wrong clock and counts as the longest
    /// wait.
    static func waited(since time: Timestamp, now: Timestamp) -> Int64 {
        time.seconds > now.seconds + Step.longestWait ? Step.longestWait : now - time
    }

    enum Verdict: Equatable {
        case again(at: Timestamp)
        case givenUp(reason: String)
    }

    /// `attempts` includes the current refusal. `isUnreachable`: no server refused the step, because none was reached.
    static func verdict(
        on step: Step, attempts: Int, reason: String, isUnreachable: Bool = false, now: Timestamp
    ) -> Verdict {
        guard step.submits || keepsSentMail(step) else {
            guard attempts < Self.attempts else { return .givenUp(reason: reason) }
            return .again(at: now + wait(attempts, waits))
        }
        let isOver = waited(since: step.triedSince ?? now, now: now) >= submissionLife
        guard !isOver || (isUnreachable && attempts < reachingAttempts) else {
            return .givenUp(reason: "timed out after 24 hours: \(reason)")
        }
        return .again(at: now + wait(attempts, submissionWaits))
    }

    /// Whether the step puts the copy of a sent mail into its mailbox.
    private static func keepsSentMail(_ step: Step) -> Bool {
        guard case .append(to: let mailbox, message: _, flags: _, token: _) = step.kind else { return false }
        return mailbox.role == .sent || step.cause == .hand("sent-copy")
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
