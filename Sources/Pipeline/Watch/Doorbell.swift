import Models
import Synchronization

/// Wakes the watch of one account, so that it syncs at once.
final class Doorbell: Sendable {
    /// The reason for waking it.
    enum Reason: Int, Comparable, Sendable {
        /// Another command may have queued a step with an earlier due time.
        case steps
        /// The time of day was set: work may be due.
        case clock
        /// Rules or task files have changed, or another command has put mail into the inbox.
        case files
        /// The machine has joined another network, or the same one again.
        case network
        /// The machine was suspended, or the process was stopped: the connections may be dead.
        case resumed
        /// The user requested it.
        case person

        static func < (a: Reason, b: Reason) -> Bool { a.rawValue < b.rawValue }
    }

    private struct State {
        var reason: Reason?
        var waiter: CheckedContinuation<Void, Never>?
        var visitors: [Visitor] = []
        var isClosed = false
    }

    /// A caller that waits for the report of a round.
    typealias Visitor = CheckedContinuation<SyncReport?, Never>

    private let state = Mutex(State())

    func ring(_ reason: Reason) {
        let waiter = state.withLock { state in
            state.reason = max(state.reason ?? reason, reason)
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// The strongest reason since the last call; nil: none.
    func take() -> Reason? {
        state.withLock { state in
            defer { state.reason = nil }
            return state.reason
        }
    }

    /// Wakes the watch for the user, and waits for the round that begins afterwards. nil: it failed, or there
    /// was none.
    func visit() async -> SyncReport? {
        await withCheckedContinuation { visitor in
            let isClosed = state.withLock { state in
                if !state.isClosed { state.visitors.append(visitor) }
                return state.isClosed
            }
            if isClosed { return visitor.resume(returning: nil) }
            ring(.person)
        }
    }

    /// The callers up to now, who get the report of the round that begins now.
    func visitors() -> [Visitor] {
        state.withLock { state in
            defer { state.visitors = [] }
            return state.visitors
        }
    }

    /// No more rounds begin.
    func close() {
        state.withLock { $0.isClosed = true }
        for visitor in visitors() { visitor.resume(returning: nil) }
    }

    /// Runs `body` until it ends, or until the watch is woken. nil: it was woken, and `body` was cancelled
    /// and has ended.
    func waiting<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) async throws
        -> Result?
    {
        try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                await self.rung()
                try Task.checkCancellation()
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    private func rung() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard state.reason == nil, !Task.isCancelled else { return true }
                    state.waiter = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.resume()
        }
    }
}
