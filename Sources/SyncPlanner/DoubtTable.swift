// A message that a server cannot deliver must not block the account: how it is found, and when it is tried
// again.

public import Models

/// A connection that was lost in the middle of a FETCH.
public struct InterruptedFetch: Hashable, Sendable {
    /// From the first to the last requested UID that was not received.
    public var uids: ClosedRange<UInt32>
    /// Whether only one message was requested.
    public var isAlone: Bool

    public init(uids: ClosedRange<UInt32>, isAlone: Bool) {
        self.uids = uids
        self.isAlone = isAlone
    }
}

/// How messages are requested when some of them are in doubt.
public struct DoubtGroups: Hashable, Sendable {
    /// In the given order.
    public var ordinary: [UInt32] = []
    /// Each in a separate command, after all others: the connection may be lost because of it.
    public var probes: [[UInt32]] = []
    /// Not requested in this sync.
    public var leftOut: [MessageDoubt] = []
}

public enum DoubtTable {
    private static let hour: Int64 = 3_600

    /// How long to wait before a message is tried again, by its number of failures. A message that merely
    /// could not be read is tried again by the next sync first: many servers have only short problems.
    static func pause(_ doubt: MessageDoubt) -> Int64 {
        switch (doubt.cause, doubt.tries) {
        case (_, ...0), (.unread, 1): 0
        case (.lost, 1), (.unread, 2): hour
        case (.lost, 2), (.unread, 3): 24 * hour
        case (.lost, _), (.unread, _): 7 * 24 * hour
        }
    }

    /// If the clock was set back, the message is due.
    public static func isDue(_ doubt: MessageDoubt, now: Timestamp) -> Bool {
        doubt.triedAt > now || now.seconds - doubt.triedAt.seconds >= pause(doubt)
    }

    /// The requests for these messages. Suspected messages are requested last: first the first of them alone,
    /// because most servers answer in order and stopped there; then the two halves of the rest. All doubts
    /// are of one mailbox and one stage.
    public static func groups(
        _ uids: [UInt32], _ doubts: [MessageDoubt], now: Timestamp
    ) -> DoubtGroups {
        var groups = DoubtGroups()
        let single = Dictionary(
            doubts.filter { !$0.isSuspicion }.map { ($0.uids.lowerBound, $0) },
            uniquingKeysWith: { first, _ in first })
        let suspicions = doubts.filter(\.isSuspicion)
        var suspected: [[UInt32]] = suspicions.map { _ in [] }
        var retries: [UInt32] = []
        for uid in uids {
            if let doubt = single[uid] {
                switch (isDue(doubt, now: now), doubt.cause) {
                case (false, _): groups.leftOut.append(doubt)
                case (true, .lost): retries.append(uid)
                case (true, .unread): groups.ordinary.append(uid)
                }
            } else if let index = suspicions.firstIndex(where: { $0.uids.contains(uid) }) {
                suspected[index].append(uid)
            } else {
                groups.ordinary.append(uid)
            }
        }
        groups.probes = suspected.flatMap { parts($0.sorted()) } + retries.map { [$0] }
        return groups
    }

    private static func parts(_ uids: [UInt32]) -> [[UInt32]] {
        let rest = Array(uids.dropFirst())
        let middle = rest.count / 2
        return [Array(uids.prefix(1)), Array(rest[..<middle]), Array(rest[middle...])].filter { !$0.isEmpty }
    }

    /// The doubts after a connection was lost. A message that was requested alone, and was suspected before,
    /// is the cause; otherwise the messages that were not received are suspected. One loss proves nothing,
    /// because networks fail, too.
    ///
    /// - Returns: All doubts of the mailbox.
    public static func afterLoss(
        _ loss: InterruptedFetch, _ doubts: [MessageDoubt], _ stage: MessageDoubt.Stage, now: Timestamp
    ) -> [MessageDoubt] {
        let uid = loss.uids.lowerBound
        let isSame = { (doubt: MessageDoubt) in doubt.stage == stage && doubt.uids.overlaps(loss.uids) }
        var rest = doubts.filter { !(isSame($0) && ($0.isSuspicion || loss.isAlone)) }
        let known = doubts.filter { isSame($0) && $0.uids.contains(uid) }
        if loss.isAlone, let before = known.map(\.tries).max() {
            rest.append(MessageDoubt(stage, .lost, uid...uid, tries: before + 1, triedAt: now))
        } else {
            rest.append(MessageDoubt(stage, .lost, loss.uids, triedAt: now))
        }
        return rest
    }
}
