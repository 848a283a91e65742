import Models
import Synchronization
import Transport

/// Requests to a watch from outside: to sync at once, or to react to a change of the machine.
public final class WatchControl: Sendable {
    private let bells = Mutex<[AccountID: Doorbell]>([:])
    private struct Shown {
        var board: WatchBoard?
        /// Why the settings on disk are not in force; nil: they are.
        var settings: String?
    }

    private let shown = Mutex(Shown())
    let gate: WatchGate
    private let connections: OpenConnections
    /// When the watch began, before its settings changed; nil: now.
    let began: Timestamp?
    private let worked: Mutex<Bool>

    public convenience init() { self.init(gate: WatchGate()) }

    init(
        gate: WatchGate, began: Timestamp? = nil, hasWorked: Bool = false,
        connections: OpenConnections = OpenConnections()
    ) {
        (self.gate, self.began, self.connections) = (gate, began, connections)
        worked = Mutex(hasWorked)
    }

    /// Whether any account was synced since the watch began.
    var hasWorked: Bool { worked.withLock(\.self) }

    func noteSync() { worked.withLock { $0 = true } }

    /// SIGHUP: syncs everything now, and tries again accounts that wait for the user.
    public func syncNow() { ring(.person) }

    /// The machine slept, or the process was stopped.
    public func resumed() { changed(.resumed, .sleep) }

    /// Addresses or routes of the machine changed.
    public func networkChanged() { changed(.network, .network) }

    /// Wakes accounts that listen. A round whose connection is lost ends at once, and the next one begins.
    private func changed(_ reason: Doorbell.Reason, _ upheaval: OpenConnections.Upheaval) {
        ring(reason)
        // Meanwhile, another round may have begun over a lost connection: it must end too.
        if connections.endLost(after: upheaval) > 0 { ring(reason) }
    }

    /// Ends the round in progress if its server does not answer, because another command waits for the store. Once that
    /// command has the lock, a slow login of the watch is left alone.
    func endSilentRounds() {
        if gate.isBusy { connections.endSilent(for: Self.longestSilence) }
    }

    /// Much shorter than the timeout of a command, and longer than a busy server usually takes.
    private static let longestSilence = Duration.seconds(10)

    func ring(_ reason: Doorbell.Reason) {
        for bell in bells.withLock({ Array($0.values) }) { bell.ring(reason) }
    }

    /// Syncs each account, beginning now; nil: one of them failed.
    func sync(_ accounts: [AccountID]) async -> [SyncReport]? {
        await withTaskGroup(of: SyncReport?.self) { group in
            for account in accounts { group.addTask { await self.bell(of: account).visit() } }
            var reports: [SyncReport] = []
            for await report in group { if let report { reports.append(report) } }
            guard reports.count == accounts.count else { return nil }
            return accounts.compactMap { account in reports.first { $0.account == account } }
        }
    }

    /// The current state of the watch; nil: it has not started, or it has ended.
    var record: WatchRecord? { shown.withLock(\.board)?.record }

    func show(_ board: WatchBoard?) {
        let settings = shown.withLock { shown in
            shown.board = board
            return shown.settings
        }
        board?.noteSettings(settings)
    }

    /// Why the settings on disk are not in force; nil: they are.
    func noteSettings(_ reason: String?) {
        let board = shown.withLock { shown in
            shown.settings = reason
            return shown.board
        }
        board?.noteSettings(reason)
    }

    /// No account is watched any more.
    func close() {
        show(nil)
        for bell in bells.withLock({ Array($0.values) }) { bell.close() }
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
    /// Waits until the user requests a sync, the network changes if that can help, or the password has
    /// changed; false: the task was cancelled. `hasOtherSecret` is called after each pause.
    func revival(
        after problem: Problem, every pause: Duration, hasOtherSecret: @Sendable () async -> Bool
    ) async -> Bool {
        let least = problem.isOfAStranger ? Reason.network : .person
        while !Task.isCancelled {
            let isOver: Void? = try? await waiting { try await Task.sleep(for: pause) }
            if let reason = take(), reason >= least { return true }
            if isOver != nil, await hasOtherSecret() { return true }
        }
        return false
    }
}
