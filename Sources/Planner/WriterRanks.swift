public import Models

/// The position of each message among all messages of its writer, by arrival. `sender:first-seen` uses it, so
/// its result does not depend on when triage ran.
public enum WriterRanks {
    /// - Parameters:
    ///   - messages: The messages to judge.
    ///   - arrivals: When every message of each writer (`EmailAddress.comparable`) arrived, the earliest
    ///     first.
    /// - Returns: 1 for the first message of a writer. Servers record seconds: of the messages of the same
    ///   second, the judged ones are last, in their order.
    public static func of(
        _ messages: [MessageFacts], arrivals: [String: [Timestamp]]
    ) -> [EmailID: Int] {
        var ranks: [EmailID: Int] = [:]
        for (writer, group) in Dictionary(grouping: messages, by: { $0.from.first?.comparable ?? "" }) {
            guard let times = arrivals[writer] else { continue }
            var seen: Set<EmailID> = []
            let own = group.sorted(by: ThreadScope.isOlder).filter { seen.insert($0.id).inserted }
            for (index, facts) in own.enumerated() {
                let earlier = count(times) { $0 < facts.received }
                let sameSecond = count(times) { $0 <= facts.received } - earlier
                let start = own[...index].lastIndex { $0.received < facts.received }.map { $0 + 1 } ?? 0
                let judged = own[start...].prefix { $0.received == facts.received }.count
                ranks[facts.id] = earlier + max(0, sameSecond - judged) + index - start + 1
            }
        }
        return ranks
    }

    /// The number of leading elements of a sorted list that satisfy the condition.
    private static func count(_ times: [Timestamp], _ isBefore: (Timestamp) -> Bool) -> Int {
        var (low, high) = (0, times.count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(times[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
