import Models
import Synchronization

/// Makes everything that one command does one run: what is queued between ``begin()`` and ``end()`` becomes part of the
/// run that was queued first.
///
/// Each part stays a run of its own for the journal, so a crash in the middle leaves the others as they are. See
/// docs/decisions/0015-one-run.md.
final class WholeRun: Sendable {
    /// What the run of a whole session is called, whichever command comes first in it.
    enum Name: String {
        case inbox
    }

    private struct State {
        var depth = 0
        var name: Name?
        var first: RunID?
        /// The first run that undid a part of it, while it is still being made.
        var firstUndo: RunID?
    }

    private let state = Mutex(State())

    /// The run that the next one is part of; nil: the next one is the first, or nothing is collected.
    ///
    /// What undoes a part of the run that is being made is another run: else undoing it all would do that part again.
    func first(undoing undone: RunID? = nil) -> RunID? {
        state.withLock { undone != nil && undone == $0.first ? $0.firstUndo : $0.first }
    }

    /// nil: it is called as the command that makes it.
    var name: Name? { state.withLock(\.name) }

    /// A command that calls another one stays one run.
    func begin(as name: Name? = nil) {
        state.withLock {
            $0.depth += 1
            $0.name = $0.name ?? name
        }
    }

    func end() {
        state.withLock {
            $0.depth -= 1
            if $0.depth == 0 { ($0.first, $0.firstUndo, $0.name) = (nil, nil, nil) }
        }
    }

    /// What `body` queues does not belong to the run that is collected: it undoes another run, and says so.
    func apart<Result>(_ body: () async throws -> Result) async throws -> Result {
        let outer = state.withLock { state in
            let outer = state
            state = State()
            return outer
        }
        defer { state.withLock { $0 = outer } }
        return try await body()
    }

    func note(_ id: RunID, undoing undone: RunID? = nil) {
        state.withLock {
            guard $0.depth > 0 else { return }
            if undone != nil, undone == $0.first {
                $0.firstUndo = $0.firstUndo ?? id
            } else {
                $0.first = $0.first ?? id
            }
        }
    }
}
