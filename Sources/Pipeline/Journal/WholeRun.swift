import Models
import Synchronization

/// Combines everything that one command does into one run: runs that are queued between ``begin()`` and
/// ``end()`` become parts of the first one.
///
/// In the journal, each part is a separate run, so a crash in the middle does not affect the others. See
/// docs/decisions/0015-one-run.md.
final class WholeRun: Sendable {
    /// The name of a run that covers a whole session, a morning or a round of a watch. It does not depend on the first
    /// command in it.
    enum Name: String {
        case inbox
        case run
        case watch
    }

    private struct State {
        var depth = 0
        var name: Name?
        var isAlone = false
        var first: RunID?
        /// The first run that undid a part of the current run.
        var firstUndo: RunID?
    }

    private let state = Mutex(State())

    /// The run that the next one is part of; nil: the next one is the first, or no runs are collected.
    ///
    /// A run that undoes a part of the current run is separate: otherwise undoing the whole run would redo
    /// that part.
    func first(undoing undone: RunID? = nil) -> RunID? {
        state.withLock { undone != nil && undone == $0.first ? $0.firstUndo : $0.first }
    }

    /// nil: the run has the name of the command that makes it.
    var name: Name? { state.withLock(\.name) }

    /// Whether no user is there to decide about an interrupted run: a watch finishes what an earlier one began.
    var isAlone: Bool { state.withLock(\.isAlone) }

    /// A command that calls another one stays one run.
    func begin(as name: Name? = nil) {
        state.withLock {
            $0.depth += 1
            $0.name = $0.name ?? name
            $0.isAlone = $0.isAlone || name == .watch
        }
    }

    func end() {
        state.withLock {
            $0.depth -= 1
            if $0.depth == 0 { $0 = State() }
        }
    }

    /// Runs that `body` queues are not part of the current run: they undo another run.
    func apart<Result>(_ body: () async throws -> Result) async throws -> Result {
        let outer = state.withLock { state in
            let outer = state
            state = State(isAlone: outer.isAlone)
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
