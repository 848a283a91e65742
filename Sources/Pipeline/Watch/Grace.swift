import Models
import Synchronization

/// A watch sees the middle of what another program does in two steps, so it waits a while for the second one.
///
/// A program may remove a draft some seconds before it files the sent mail. Or it copies a message to a command mailbox, and
/// then deletes it in the inbox.
final class Grace<Key: Hashable & Sendable>: Sendable {
    /// In seconds.
    private let period: Int64
    /// When the first step of each was seen.
    private let since = Mutex<[Key: Timestamp]>([:])

    init(seconds period: Int64) { self.period = period }

    /// Whether it is too early to act. The time begins with the first call.
    func holds(_ key: Key, at now: Timestamp) -> Bool {
        since.withLock { since in
            let began = since[key] ?? now
            since[key] = began
            return now - began < period
        }
    }

    /// The second step came, or the time is over.
    func forget(_ key: Key) { since.withLock { $0[key] = nil } }

    /// When the next time is over; nil: nothing is held.
    func next(after now: Timestamp) -> Timestamp? {
        since.withLock { since in
            since.values.map { Timestamp(seconds: $0.seconds + period) }.filter { $0 > now }.min()
        }
    }
}
