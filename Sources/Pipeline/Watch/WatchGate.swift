import Synchronization

/// While another command needs the store, no part of the watch starts new work. It also knows whether a part works now.
final class WatchGate: Sendable {
    private struct State {
        var closers = 0
        var working = 0
        var next = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    /// After this time, a part of the watch checks whether the other command still uses the store.
    private static let patience = Duration.seconds(60)

    /// Whether a part of the watch holds the lock of the workspace.
    var isBusy: Bool { state.withLock { $0.working > 0 } }

    func beginWork() { state.withLock { $0.working += 1 } }

    func endWork() { state.withLock { $0.working -= 1 } }

    func close() { state.withLock { $0.closers += 1 } }

    func open() {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.closers -= 1
            guard state.closers <= 0 else { return [] }
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for waiter in waiting { waiter.resume() }
    }

    /// Waits while the gate is closed, with a time limit.
    func passage() async throws {
        guard state.withLock({ $0.closers > 0 }) else { return }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await self.opened() }
            group.addTask { try await Task.sleep(for: Self.patience) }
            defer { group.cancelAll() }
            try await group.next()
        }
        try Task.checkCancellation()
    }

    private func opened() async {
        let ticket = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard state.closers > 0, !Task.isCancelled else { return true }
                    state.waiting[ticket] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: ticket) }?.resume()
        }
    }
}
