// One message that a server cannot hand out must not stop the account: how it is found, and when it is tried again.

public import Models

/// A connection that was lost in the middle of a FETCH.
public struct InterruptedFetch: Hashable, Sendable {
    /// From the first to the last UID that was requested and did not come.
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
    /// In the order that was given.
    public var ordinary: [UInt32] = []
    /// Each in a command of its own, after all others: the connection may be lost over it.
    public var probes: [[UInt32]] = []
    /// Not requested this time.
    public var leftOut: [MessageDoubt] = []
}

public enum DoubtTable {
    private static let hour: Int64 = 3_600

    /// How long a message that failed so often is left alone. One that only could not be read is tried by the next sync
    /// first: many servers are ill for a moment.
    static func pause(_ doubt: MessageDoubt) -> Int64 {
        switch (doubt.cause, doubt.tries) {
        case (_, ...0), (.unread, 1): 0
        case (.lost, 1), (.unread, 2): hour
        case (.lost, 2), (.unread, 3): 24 * hour
        case (.lost, _), (.unread, _): 7 * 24 * hour
        }
    }

    /// A clock that was set back proves nothing.
    public static func isDue(_ doubt: MessageDoubt, now: Timestamp) -> Bool {
        doubt.triedAt > now || now.seconds - doubt.triedAt.seconds >= pause(doubt)
    }

    /// Suspected messages are requested last: the first of them alone, since most servers answer in order and that is
    /// where they stopped; then the two halves of the rest.
    /// The doubts are those of one mailbox and one stage.
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

    /// What is known after a connection was lost: a message that was requested alone, and was suspected before, is the
    /// cause; else what did not come is suspected. One loss proves nothing: networks fail too.
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
