import Synchronization

/// A clock that stands still until the test moves it.
public final class TestClock: Clock, Sendable {
    public struct Instant: InstantProtocol {
        public var offset: Duration

        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        public static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
    }

    private struct Sleeper {
        var number: Int
        var end: Instant
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [Sleeper] = []
        var number = 0
        var cancelled: Set<Int> = []
    }

    private let state = Mutex(State())

    public init() {}

    public var now: Instant { state.withLock { $0.now } }
    public var minimumResolution: Duration { .zero }

    public func sleep(until end: Instant, tolerance: Duration?) async throws {
        let number = state.withLock { state in
            state.number += 1
            return state.number
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isOver: Result<Void, any Error>? = state.withLock { state in
                    if state.cancelled.remove(number) != nil { return .failure(CancellationError()) }
                    if state.now >= end { return .success(()) }
                    state.sleepers.append(Sleeper(number: number, end: end, continuation: continuation))
                    return nil
                }
                if let isOver { continuation.resume(with: isOver) }
            }
        } onCancel: {
            let sleeper = state.withLock { state -> Sleeper? in
                guard let place = state.sleepers.firstIndex(where: { $0.number == number }) else {
                    state.cancelled.insert(number)
                    return nil
                }
                return state.sleepers.remove(at: place)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Moves on, once a task sleeps until then or before: a test need not know when that begins.
    public func advance(by duration: Duration) async throws {
        let target = now.advanced(by: duration)
        while !state.withLock({ state in state.sleepers.contains { $0.end <= target } }) {
            try await Task.sleep(for: .milliseconds(1))
        }
        let due = state.withLock { state in
            state.now = target
            let due = state.sleepers.filter { $0.end <= target }
            state.sleepers.removeAll { $0.end <= target }
            return due
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Moves on without waking a sleeper, once one sleeps until then.
    public func advance(by duration: Duration, onceSleepingUntil end: Duration) async throws {
        while !state.withLock({ state in state.sleepers.contains { $0.end.offset == end } }) {
            try await Task.sleep(for: .milliseconds(1))
        }
        state.withLock { $0.now = $0.now.advanced(by: duration) }
    }
}
