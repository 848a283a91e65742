import CLinux
import Dispatch
import Models
import Pipeline
import Synchronization

/// Returns memory to the system after a sync or a triage. A resting watch does not need it.
///
/// It waits a while first, because a message that comes soon would have to get the memory again.
final class SpareMemory: Sendable {
    private struct State {
        var hasWorked = true
        /// Counts events. A planned return does not happen if another event follows.
        var number = 0
    }

    /// How long the watch must rest first.
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
        case .synced, .notices, .ordered, .applied, .held, .kept, .brokenRules, .newRules, .state, .delivered,
            .lost, .silent:
            break
        }
    }

    /// The watch read or decided something. Returns memory if nothing more happens.
    private func rest(since number: Int) {
        let isSpare = state.withLock { state in
            defer { if state.number == number { state.hasWorked = false } }
            return state.hasWorked && state.number == number
        }
        if isSpare { giveBack() }
    }
}
