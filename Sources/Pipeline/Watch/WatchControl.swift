import Models
import Synchronization

/// Wishes to a watch from outside: to look at once, or to end.
public final class WatchControl: Sendable {
    private let bells = Mutex<[AccountID: Doorbell]>([:])

    public init() {}

    /// Sync everything now, and try again what a person must have changed: SIGHUP.
    public func syncNow() { ring(.person) }

    /// The machine slept, or the process was stopped.
    public func resumed() { ring(.resumed) }

    /// Addresses or routes of the machine changed.
    public func networkChanged() { ring(.network) }

    func ring(_ reason: Doorbell.Reason) {
        for bell in bells.withLock({ Array($0.values) }) { bell.ring(reason) }
    }

    func bell(of account: AccountID) -> Doorbell {
        bells.withLock { bells in
            if let bell = bells[account] { return bell }
            let bell = Doorbell()
            bells[account] = bell
            return bell
        }
    }
}

extension Doorbell {
    /// Waits until a person rings; false: the task was cancelled.
    func person() async -> Bool {
        while !Task.isCancelled {
            let rung: Void? = try? await waiting { try await Task.sleep(for: .seconds(86_400)) }
            if take() == .person { return true }
            _ = rung
        }
        return false
    }
}
