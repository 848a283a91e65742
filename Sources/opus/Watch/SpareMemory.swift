import CLinux
import Dispatch
import Models
import Pipeline
import Synchronization

/// Gives memory back to the system after work: what a sync or a decision needed, a watch at rest does not.
///
/// Not at once: the next message would wait until its pages are back.
final class SpareMemory: Sendable {
    private struct State {
        var hasWorked = true
        /// Counts the events, so that a return that was planned before the last one does not happen.
        var number = 0
    }

    /// At rest for this long.
    private static let pause = DispatchTimeInterval.seconds(5)

    private let state = Mutex(State())
    private let later: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let giveBack: @Sendable () -> Void

    init(
        later: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { work in
            DispatchQueue.global().asyncAfter(deadline: .now() + SpareMemory.pause, execute: work)
        },
        giveBack: @escaping @Sendable () -> Void = { opus_return_memory() }
    ) {
        self.later = later
        self.giveBack = giveBack
    }

    func note(_ event: WatchEvent) {
        switch event {
        case .state(let state) where state.phase == .bodies || state.phase == .indexing:
            self.state.withLock { state in
                state.hasWorked = true
                state.number += 1
            }
        case .listening:
            let number = state.withLock { $0.hasWorked ? $0.number : nil }
            if let number { later { [self] in rest(since: number) } }
        case .synced, .notices, .ordered, .applied, .held, .brokenRules, .newRules, .state, .delivered, .lost,
            .silent:
            break
        }
    }

    /// It is at rest again after something was read or decided, and stayed so.
    private func rest(since number: Int) {
        let isSpare = state.withLock { state in
            defer { if state.number == number { state.hasWorked = false } }
            return state.hasWorked && state.number == number
        }
        if isSpare { giveBack() }
    }
}
