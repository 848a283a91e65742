import CLinux
import Models
import Pipeline
import Synchronization

/// Gives memory back to the system after work: what a sync or a decision needed, a watch at rest does not.
final class SpareMemory: Sendable {
    private let hasWorked = Mutex(true)

    /// At rest again after something was read or decided.
    func note(_ event: WatchEvent) {
        switch event {
        case .state(let state) where state.phase == .bodies || state.phase == .indexing:
            hasWorked.withLock { $0 = true }
        case .listening:
            let isSpare = hasWorked.withLock { hasWorked in
                defer { hasWorked = false }
                return hasWorked
            }
            if isSpare { opus_return_memory() }
        case .synced, .notices, .ordered, .applied, .held, .brokenRules, .newRules, .state, .delivered, .lost:
            break
        }
    }
}
