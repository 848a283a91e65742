import Dispatch
import Files
import Foundation
import Glibc
import Models
import Synchronization

/// Publishes the states of a watch: in a file for `opus status`, and as events.
final class WatchBoard: Sendable {
    private struct State {
        var record: WatchRecord
        var rules: String?
        var settings: String?
        var tasks: [String] = []
        /// Accounts whose round has reached the server, and did not fail since.
        var reached: Set<AccountID> = []
        /// Accounts whose mail did not follow changed task files, because the account was not reached.
        var leftOut: Set<AccountID> = []
        /// Accounts whose silence was reported.
        var silent: Set<AccountID> = []
        var isDue = false
        var isOver = false
    }

    private let queue = DispatchQueue(label: "opus-watch-state")

    private let state: Mutex<State>
    private let file: String
    private let clock: SessionClock
    private let tell: @Sendable (AccountWatch) -> Void

    init(
        file: String, accounts: [AccountID], interval: Duration, began: Timestamp? = nil,
        clock: SessionClock,
        tell: @escaping @Sendable (AccountWatch) -> Void
    ) {
        self.file = file
        self.clock = clock
        self.tell = tell
        let now = clock.now
        state = Mutex(
            State(
                record: WatchRecord(
                    process: getpid(), started: began ?? now, interval: interval.components.seconds,
                    accounts: accounts.map { AccountWatch(account: $0, since: now) })))
        write()
    }

    /// The current state of all accounts.
    var record: WatchRecord {
        let now = clock.now
        return state.withLock { state in
            state.record.written = now
            state.record.setbacks = [state.settings, state.rules].compactMap(\.self) + state.tasks
            return state.record
        }
    }

    func enter(_ phase: WatchPhase, _ account: AccountID, _ change: (inout AccountWatch) -> Void = { _ in }) {
        let now = clock.now
        let changed = state.withLock { state -> AccountWatch? in
            guard let place = state.record.accounts.firstIndex(where: { $0.account == account }) else {
                return nil
            }
            switch phase {
            case .mailboxes: state.reached.insert(account)
            case .idle, .error: state.reached.remove(account)
            case .connecting, .authenticating, .tokenRefresh, .headers, .bodies, .indexing, .listening: break
            }
            let before = state.record.accounts[place]
            var after = before
            if after.phase != phase { (after.phase, after.since) = (phase, now) }
            change(&after)
            guard after != before else { return nil }
            if after.lastSync != before.lastSync { state.silent.remove(account) }
            state.record.accounts[place] = after
            return after
        }
        guard let changed else { return }
        write()
        tell(changed)
    }

    /// Whether mail of the account can follow task files now. If not, its next round does it.
    ///
    /// The trap: the phase does not tell, because every new connection shows `connecting`, also one beside a connection
    /// that listens.
    func mayFollow(_ account: AccountID) -> Bool {
        state.withLock { state in
            guard !state.reached.contains(account) else { return true }
            state.leftOut.insert(account)
            return false
        }
    }

    /// A round begins, and may have to connect first.
    func beginRound(_ account: AccountID) {
        state.withLock { _ = $0.reached.remove(account) }
    }

    /// Whether the account was left out since the last call.
    func takeLeftOut(_ account: AccountID) -> Bool {
        state.withLock { $0.leftOut.remove(account) != nil }
    }

    /// The accounts that have become silent since the last call, and for how many seconds.
    func newlySilent() -> [(account: AccountID, seconds: Int64)] {
        let now = clock.now
        return state.withLock { state in
            state.record.accounts.compactMap { account in
                guard let seconds = state.record.silence(of: account, at: now),
                    state.silent.insert(account.account).inserted
                else { return nil }
                return (account.account, seconds)
            }
        }
    }

    /// The time until an account can become silent.
    var untilSilence: Duration {
        let now = clock.now
        let limit = state.withLock { state in
            state.record.accounts.filter { !state.silent.contains($0.account) }
                .map { 2 * state.record.interval + 1 - (now - ($0.lastSync ?? state.record.started)) }.min()
                ?? 2 * state.record.interval
        }
        return .seconds(max(1, limit))
    }

    /// Records that the account needs the user.
    func fail(_ account: AccountID, _ problem: Problem) {
        enter(.error, account) { $0.take(problem, again: nil) }
    }

    /// Why the rules on disk are not in force; nil: they are.
    func noteRules(_ problem: Problem?) {
        let isNews = state.withLock { state in
            defer { state.rules = problem?.message }
            return state.rules != problem?.message
        }
        if isNews { write() }
    }

    /// Why the settings on disk are not in force; nil: they are.
    func noteSettings(_ reason: String?) {
        let isNews = state.withLock { state in
            defer { state.settings = reason }
            return state.settings != reason
        }
        if isNews { write() }
    }

    /// Why mail does not follow changed task files; empty: it does.
    func noteTasks(_ reasons: [String]) {
        let isNews = state.withLock { state in
            defer { state.tasks = reasons }
            return state.tasks != reasons
        }
        if isNews { write() }
    }

    /// Writes the file soon, so that several changes are one write. If the file cannot be written, the watch
    /// continues.
    private func write() {
        let isFirst = state.withLock { state in
            defer { state.isDue = true }
            return !state.isDue
        }
        guard isFirst else { return }
        queue.asyncAfter(deadline: .now() + .milliseconds(200)) { [self] in writeNow() }
    }

    private func writeNow() {
        let isOver = state.withLock { state in
            state.isDue = false
            return state.isOver
        }
        guard !isOver, let data = try? JSONEncoder().encode(record) else { return }
        // The file shows only the current state, so waiting for the disk would only delay the journal.
        try? ReplacedFile.write(Array(data), to: file, through: file + ".new", isDurable: false)
    }

    /// Removes the file at a normal end.
    func remove() {
        queue.sync {
            state.withLock { $0.isOver = true }
            _ = unlink(file)
        }
    }
}

/// The status of a watch for `opus status`.
public struct WatchStatus: Sendable {
    /// Whether a watch is running now.
    public var isRunning: Bool
    /// nil: there was none, or the last one ended normally.
    public var record: WatchRecord?
    /// The watch is running but does not answer: it is stopped, or it hangs.
    public var isSilent = false

    /// Read from the watch itself, or otherwise from its file.
    static func read(_ storeFolder: String) -> WatchStatus {
        var status = WatchStatus(isRunning: StateLock.isHeld(path: storeFolder + "/watch.lock"))
        var data: Data?
        if status.isRunning {
            switch WatchPeer(storeFolder: storeFolder).state() {
            case .told(let state): data = Data(state)
            case .silence: status.isSilent = true
            case .none: break
            }
        }
        data = data ?? FileManager.default.contents(atPath: storeFolder + "/watch.json")
        status.record = data.flatMap { try? JSONDecoder().decode(WatchRecord.self, from: $0) }
        return status
    }

    /// Another command has just logged in to the account: if the watch waits because its login was refused, it tries again.
    static func noteLogin(_ account: AccountID, _ storeFolder: String) {
        let status = read(storeFolder)
        guard status.isRunning,
            let known = status.record?.accounts.first(where: { $0.account == account }),
            known.problem == "login-refused"
        else { return }
        WatchPeer(storeFolder: storeFolder).noteLogin(account)
    }
}
