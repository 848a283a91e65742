public import Models

/// Which message of its writer each one is, by arrival: the answer to `sender:first-seen` that does not depend on when triage
/// ran.
public enum WriterRanks {
    /// - Parameters:
    ///   - messages: Those that are judged.
    ///   - arrivals: When every message of each writer (`EmailAddress.comparable`) came, the earliest first.
    /// - Returns: 1 for the first of a writer. The clocks of servers tick in seconds: of the messages of one second those
    ///   that are judged come in their order, after the others.
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

    /// How many at the beginning of a sorted list are so.
    private static func count(_ times: [Timestamp], _ isBefore: (Timestamp) -> Bool) -> Int {
        var (low, high) = (0, times.count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(times[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
