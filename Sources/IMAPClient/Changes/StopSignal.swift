import Synchronization
import Transport

/// A request from outside to end a wait.
final class StopSignal: Sendable {
    private struct State {
        var isStopped = false
        var wakeup: Wakeup?
    }

    private let state = Mutex(State())

    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Sets the wait to end. It ends at once if the request came before.
    func arm(_ wakeup: Wakeup) {
        let isStopped = state.withLock { state in
            state.wakeup = wakeup
            return state.isStopped
        }
        if isStopped { wakeup.fire() }
    }

    func stop() {
        let wakeup = state.withLock { state in
            state.isStopped = true
            return state.wakeup
        }
        wakeup?.fire()
    }
}
