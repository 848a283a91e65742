public import Models

/// A thread that answers no other thread, with a subject that other threads have too.
public struct ThreadOfSubject: Hashable, Sendable {
    public var thread: ThreadID
    /// Whether the subject of its first message is marked as a reply or a forward.
    public var isReply: Bool
    /// Whether its first message names no other message.
    public var isPlain: Bool
    /// The dates of its messages with this subject.
    public var dates: [Timestamp]

    public init(thread: ThreadID, isReply: Bool, isPlain: Bool, dates: [Timestamp]) {
        self.thread = thread
        self.isReply = isReply
        self.isPlain = isPlain
        self.dates = dates
    }
}

/// Decides which threads with the same base subject are shown as one: the last step of REFERENCES (RFC 5256), for
/// replies that name no message.
///
/// Each reply joins the thread with the nearest message before it, or otherwise the thread with the nearest message
/// after it. The result does not depend on the order of the threads.
public enum SubjectJoins {
    /// The most threads that become one.
    static let longest = 1_000

    /// - Parameters:
    ///   - threads: Threads with the same base subject.
    ///   - joinsAll: Whether threads that are not replies join the nearest one before them too.
    ///   - window: The most seconds between two messages that join.
    /// - Returns: For each thread that is shown with others, the smallest of their ids.
    public static func groups(
        _ threads: [ThreadOfSubject], joinsAll: Bool = false, window: Int64
    ) -> [ThreadID: ThreadID] {
        guard threads.count > 1 else { return [:] }
        let threads = threads.sorted { $0.thread < $1.thread }
        func moments(_ indices: [Int]) -> Moments {
            Moments(
                indices.flatMap { index in
                    threads[index].dates.map {
                        Moment(date: $0, isReply: threads[index].isReply, thread: index)
                    }
                })
        }
        let all = moments(Array(threads.indices))
        let plain = moments(threads.indices.filter { threads[$0].isPlain })
        var sets = DisjointSets()
        for _ in threads { _ = sets.add() }
        for (index, thread) in threads.enumerated() where thread.isReply || joinsAll {
            guard
                let first = thread.dates.min().map({
                    Moment(date: $0, isReply: thread.isReply, thread: index)
                })
            else { continue }
            let others = thread.isPlain ? all : plain
            if let other = others.before(first, window: window)
                ?? (thread.isReply ? others.after(thread.dates, besides: index, window: window) : nil)
            {
                sets.join(index, other)
            }
        }
        var members: [Int: [Int]] = [:]
        for index in threads.indices { members[sets.root(of: index), default: []].append(index) }
        var names: [ThreadID: ThreadID] = [:]
        for group in members.values where group.count > 1 && group.count <= longest {
            for index in group { names[threads[index].thread] = threads[group[0]].thread }
        }
        return names
    }
}

/// A message of a thread. Of messages with the same date, one is the first too, and a reply is later than what it can answer.
/// Otherwise two replies of one second would only join each other, and not the message that both answer.
private struct Moment: Comparable {
    var date: Timestamp
    var isReply: Bool
    var thread: Int

    static func < (a: Moment, b: Moment) -> Bool {
        (a.date, a.isReply ? 1 : 0, a.thread) < (b.date, b.isReply ? 1 : 0, b.thread)
    }
}

/// The messages of several threads, sorted by date.
private struct Moments {
    private let sorted: [Moment]

    init(_ moments: [Moment]) { sorted = moments.sorted() }

    /// The thread of the last message before this one that is not of its thread.
    func before(_ own: Moment, window: Int64) -> Int? {
        var index = end { $0 < own }
        while index > 0, own.date - sorted[index - 1].date <= window {
            index -= 1
            if sorted[index].thread != own.thread { return sorted[index].thread }
        }
        return nil
    }

    /// The thread of the first message of another thread after the first of these dates, if no gap up to it is longer than
    /// `window`.
    func after(_ dates: [Timestamp], besides own: Int, window: Int64) -> Int? {
        guard var last = dates.min() else { return nil }
        let first = last
        var index = end { $0.date <= first }
        while index < sorted.count, sorted[index].date - last <= window {
            if sorted[index].thread != own { return sorted[index].thread }
            last = sorted[index].date
            index += 1
        }
        return nil
    }

    /// The number of messages for which this is true; it is true for the first ones only.
    private func end(_ isBefore: (Moment) -> Bool) -> Int {
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(sorted[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
