import Accounts
import Foundation
public import Models
import Synchronization
import TaskStore

/// A watch on a workspace that runs until it is ended, and that follows changes of its settings.
///
/// When `opus.yaml` changes, the sessions of all accounts end normally and start again with the new settings.
/// A file with errors changes nothing and is reported once.
public final class WatchService: Sendable {
    /// Events that are not about one account.
    public enum Event: Sendable {
        /// The session of the following events; also after each change of the settings.
        case began(Session)
        case watched(WatchedEvent)
        /// The settings on disk are not in force.
        case brokenSettings([Diagnostic])
        case newSettings
    }

    private struct State {
        var control: WatchControl?
        var stop: StopRequest?
        var isStopping = false
        var isReloading = false
        /// The session begins again because its store was deleted or replaced.
        var hasLostStore = false
        /// Whether any account was synced in an earlier session.
        var hasWorked = false
        /// When the first session started.
        var began: Timestamp?
        /// The settings in force.
        var workspace: Workspace?
        /// The settings of the next session.
        var next: Workspace?
        /// The watched accounts.
        var accounts: [AccountID] = []
        /// The last report about settings that are not in force.
        var complaint: [Diagnostic]?
        var task: Task<[Problem], Never>?
    }

    private let options: SessionOptions
    private let account: String?
    private let isOnce: Bool
    private let state = Mutex(State())
    private let gate = WatchGate()
    private let metrics: @Sendable () -> String?
    private let tell: @Sendable (Event) -> Void

    /// `metrics`: the metrics that the local socket provides.
    public init(
        _ options: SessionOptions, account: String?, isOnce: Bool,
        metrics: @escaping @Sendable () -> String? = { nil }, tell: @escaping @Sendable (Event) -> Void
    ) {
        self.options = options
        self.account = account
        self.isOnce = isOnce
        self.metrics = metrics
        self.tell = tell
    }

    // MARK: Control

    /// SIGHUP: reads the settings again, and syncs now.
    public func syncNow() {
        reload()
        state.withLock { $0.control }?.syncNow()
    }

    public func changed(_ change: MachineChanges.Change) {
        let control = state.withLock { $0.control }
        switch change {
        case .resumed: control?.resumed()
        case .network: control?.networkChanged()
        // Deferred mail, or a step of the journal, may be due.
        case .clock: control?.ring(.clock)
        }
    }

    /// SIGTERM: no new work starts. The current step is finished, or cancelled after a few seconds.
    public func stop() {
        let (stop, control, task) = state.withLock { state in
            state.isStopping = true
            return (state.stop, state.control, state.task)
        }
        stop?.request()
        control?.syncNow()
        Task {
            try? await Task.sleep(for: Self.patience)
            task?.cancel()
        }
    }

    private static let patience = Duration.seconds(3.5)

    // MARK: Requests of other commands

    private var answers: WatchSocket.Answers {
        WatchSocket.Answers(
            state: { [self] in
                state.withLock { $0.control }?.record.flatMap { try? JSONEncoder().encode($0) }.map(
                    Array.init)
            },
            metrics: metrics,
            sync: { [self] in
                guard let reports = await sync(named: $0) else { return nil }
                return (try? JSONEncoder().encode(reports.map(SyncAnswer.init))).map(Array.init)
            },
            steps: { [self] in state.withLock { $0.control }?.ring(.steps) },
            mail: { [self] in state.withLock { $0.control }?.ring(.files) },
            endSilentRounds: { [self] in state.withLock { $0.control }?.endSilentRounds() }, gate: gate)
    }

    /// nil: one of the accounts is not watched, or could not be synced.
    private func sync(named account: String?) async -> [SyncReport]? {
        let (control, wanted) = state.withLock { state -> (WatchControl?, [AccountID]) in
            let all = state.workspace?.accounts.map(\.id) ?? []
            let wanted = account.map { name in all.filter { $0.rawValue == name } } ?? all
            return (wanted.allSatisfy(state.accounts.contains) ? state.control : nil, wanted)
        }
        guard let control, !wanted.isEmpty else { return nil }
        return await control.sync(wanted)
    }

    // MARK: Running

    /// Runs until all accounts have ended, or until ``stop()``. Returns the problems that ended accounts.
    ///
    /// - Throws: ``Problem`` if another watch runs here, or if there is no workspace with accounts.
    public func run() async throws -> [Problem] {
        let first = try options.loadWorkspace()
        state.withLock { $0.next = first }
        try Problem.wrap { try first.makeStoreFolder() }
        var place: Place? = try Place(first.storeFolder, answers)
        defer { place?.remove() }
        let settings = Task { [self] in
            for await _ in FolderWatch(root: first.root, isDeep: false, links: .named("opus.yaml"))
                .changes()
            { reload() }
        }
        defer { settings.cancel() }
        var problems: [Problem] = []
        repeat {
            let workspace = state.withLock { state in
                (state.isReloading, state.hasLostStore) = (false, false)
                return state.next ?? first
            }
            if place?.isWhole(in: workspace.storeFolder) != true {
                place?.remove()
                place = nil
                try Problem.wrap { try workspace.makeStoreFolder() }
                place = try Place(workspace.storeFolder, answers)
            }
            problems = try await runOnce(workspace)
            if state.withLock({ $0.isReloading && !$0.hasLostStore }) { tell(.newSettings) }
        } while state.withLock({ $0.isReloading && !$0.isStopping }) && !Task.isCancelled
        return problems
    }

    /// The lock and the socket of the watch, in the folder of the store.
    private struct Place {
        let folder: String
        let lock: StateLock
        let socket: WatchSocket?

        init(_ folder: String, _ answers: WatchSocket.Answers) throws {
            self.folder = folder
            lock = try WatchService.alone(in: folder)
            socket = WatchSocket(in: folder, answers)
        }

        /// Whether it is in this folder, and the folder was not deleted since.
        func isWhole(in folder: String) -> Bool {
            folder == self.folder && lock.isInPlace(folder + "/watch.lock")
        }

        /// In a new folder of the same name, the socket may belong to another watch.
        func remove() {
            if isWhole(in: folder) { socket?.remove() } else { socket?.end() }
        }
    }

    private static func alone(in folder: String) throws -> StateLock {
        do {
            return try StateLock.take(path: folder + "/watch.lock")
        } catch {
            guard error.code == "locked" else { throw error }
            throw Problem(
                "watch-running", exit: .temporary, message: "another opus watch runs in this workspace",
                place: folder, next: ["opus status", "opus service status"])
        }
    }

    /// Runs until the accounts have ended, or the settings have changed.
    private func runOnce(_ workspace: Workspace) async throws -> [Problem] {
        let problems = Mutex<[Problem]>([])
        var options = options
        options.loaded = workspace
        try await Session.with(options, .reading) { session in
            let (began, hasWorked) = state.withLock { state in
                state.began = state.began ?? session.now
                return (state.began, state.hasWorked)
            }
            let control = WatchControl(
                gate: gate, began: began, hasWorked: hasWorked, connections: session.watch.connections.open)
            let ids = try session.accounts.ids(named: account)
            tell(.began(session))
            var watching = session.watch
            watching.storeGone = { [weak self] in self?.reopen() }
            let task = Task { [isOnce, tell, watching] in
                await watching.all(ids, isOnce: isOnce, control: control) { tell(.watched($0)) }
            }
            let isStopping = state.withLock { state in
                (state.control, state.stop, state.task) = (control, session.stopRequest, task)
                (state.workspace, state.accounts) = (workspace, ids)
                return state.isStopping
            }
            if isStopping { stop() }
            // They may have changed while the session before ended.
            reload()
            let found = await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                task.cancel()
            }
            state.withLock {
                ($0.control, $0.stop, $0.task) = (nil, nil, nil)
                $0.hasWorked = control.hasWorked
            }
            problems.withLock { $0 = found }
        }
        return problems.withLock(\.self)
    }

    /// Loads changed settings if they have no errors, and if they leave an account to watch.
    private func reload() {
        do {
            let workspace = try options.loadWorkspace()
            _ = try AccountAccess.ids(named: account, of: workspace)
            let (isNew, control) = state.withLock { state -> (Bool, WatchControl?) in
                state.complaint = nil
                state.next = workspace
                return (state.workspace.map { $0 != workspace } ?? false, state.control)
            }
            control?.noteSettings(nil)
            if isNew { restart() }
        } catch let failure as DiagnosticFailure {
            complain(failure.diagnostics)
        } catch {
            complain([Diagnostic(code: "C001", file: "opus.yaml", message: Problem(error).message)])
        }
    }

    /// The store was deleted or replaced: the session begins again with the one that is there now. If the
    /// settings are gone too, for example because the disk is not mounted, the watch waits for them.
    private func reopen() {
        guard let location = try? options.locate(), !location.lacksSettings else { return }
        state.withLock { $0.hasLostStore = true }
        restart()
    }

    /// Ends the session, so that the next one begins.
    private func restart() {
        let task = state.withLock { state -> (StopRequest?, WatchControl?, Task<[Problem], Never>?)? in
            guard state.workspace != nil, !state.isStopping, !state.isReloading else { return nil }
            state.isReloading = true
            return (state.stop, state.control, state.task)
        }
        guard let (stop, control, running) = task else { return }
        stop?.request()
        control?.syncNow()
        Task {
            try? await Task.sleep(for: .seconds(30))
            running?.cancel()
        }
    }

    private func complain(_ findings: [Diagnostic]) {
        let (isNews, control) = state.withLock { state -> (Bool, WatchControl?) in
            defer { state.complaint = findings }
            return (state.complaint != findings, state.control)
        }
        control?.noteSettings("opus.yaml has errors; the earlier settings stay in force")
        if isNews { tell(.brokenSettings(findings)) }
    }
}

extension [Problem] {
    /// The exit code of a watch that these problems ended; nil: none did.
    ///
    /// A refused login and wrong settings come first, because systemd must not start the watch again after them: each
    /// start would repeat the refused login, and servers lock such accounts.
    public var watchExit: ExitStatus? {
        let codes = map(\.exit)
        return [.loginRefused, .configuration].first(where: codes.contains) ?? codes.first
    }
}
