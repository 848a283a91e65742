import Dispatch
import Glibc
import Pipeline
import Synchronization

/// The signals of a watch: SIGTERM ends it cleanly, SIGHUP syncs now, SIGCONT follows a stop of the process.
///
/// `@unchecked`: the sources are created once, and afterwards only cancelled.
final class WatchSignals: @unchecked Sendable {
    private let ended = Mutex(false)
    private var sources: [any DispatchSourceSignal] = []

    /// After this time the watch ends in the middle of a step. The journal finds out later whether the step happened.
    private static let patience = DispatchTimeInterval.milliseconds(4_700)

    /// Whether SIGTERM came.
    var isEnded: Bool { ended.withLock(\.self) }

    init(_ service: WatchService, _ manager: ServiceManager) {
        on(SIGTERM) { [self] in
            let isFirst = ended.withLock { ended in
                defer { ended = true }
                return !ended
            }
            guard isFirst else { return }
            manager.stopping()
            service.stop()
            DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) { _exit(0) }
        }
        on(SIGHUP) { service.syncNow() }
        on(SIGCONT) { service.changed(.resumed) }
    }

    private func on(_ number: Int32, _ handle: @escaping @Sendable () -> Void) {
        _ = signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler(handler: handle)
        source.resume()
        sources.append(source)
    }

    func cancel() {
        for source in sources { source.cancel() }
    }
}

/// The state of the watch in one line, for the service manager.
final class WatchSummary: Sendable {
    private let phases = Mutex<[String: String]>([:])

    /// Only these accounts are watched from now on.
    func keep(_ accounts: [String]) {
        phases.withLock { $0 = $0.filter { accounts.contains($0.key) } }
    }

    /// The new line; nil: it has not changed.
    func note(_ event: WatchEvent, of account: some CustomStringConvertible) -> String? {
        guard case .state(let state) = event else { return nil }
        return phases.withLock { phases in
            let word = state.phase.rawValue + (state.reason.map { ": " + $0 } ?? "")
            guard phases.updateValue(word, forKey: account.description) != word else { return nil }
            return phases.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: "; ")
        }
    }
}
