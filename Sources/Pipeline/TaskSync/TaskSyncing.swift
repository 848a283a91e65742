public import Accounts
import Foundation
public import Models

/// Syncs the task folder with a calendar server, using the program of `tasks: { sync-command: … }`.
///
/// It does not hold the lock of the workspace: the program changes files like any other program, and the next
/// scan of the folder processes the changes. Only one sync runs at a time, and at most one waits. opus itself
/// changes no task file.
public struct TaskSyncing: Sendable {
    /// The reason for a sync.
    public enum Reason: Sendable {
        /// The folder may have changed; if it has not changed since the last sync, nothing is done.
        case change
        /// The server may have changed.
        case server
    }

    public enum Outcome: Sendable {
        /// There is nothing to do, or another process does it.
        case nothing
        /// Another process has been syncing for as long as this one may wait.
        case busy
        /// `files`: whether the folder changed. `onlyHere`: lists with tasks that the setup did not know.
        case synced(seconds: Double, files: Bool, onlyHere: [String])
        /// `isNews`: the same failure was not reported before.
        case failed(Problem, isNews: Bool)
    }

    public let settings: TaskSyncSettings
    let tasksFolder: String
    let storeFolder: String
    let root: String
    let configFile: String
    let clock: SessionClock
    var environment = ProcessInfo.processInfo.environment
    /// The maximum running time of the program.
    var limit = Duration.seconds(120)
    /// A burst of changes is over after this time without a change.
    var pause = Duration.seconds(2)
    /// Proceed even if many task files are missing.
    public var allowsMassDelete = false

    /// nil: no sync program is configured.
    public init?(_ workspace: Workspace, clock: SessionClock) {
        guard let settings = workspace.taskSync else { return nil }
        self.settings = settings
        tasksFolder = workspace.tasksFolder
        storeFolder = workspace.storeFolder
        root = workspace.root
        configFile = workspace.configFile
        self.clock = clock
    }

    /// The same for a command without a session.
    ///
    /// - Throws: ``Problem`` or ``DiagnosticFailure``, like opening a session.
    public init?(_ options: SessionOptions) throws {
        let workspace = try options.loadWorkspace()
        guard workspace.taskSync != nil else { return nil }
        try Problem.wrap { try workspace.makeStoreFolder() }
        self.init(workspace, clock: SessionClock(fixed: options.now))
    }

    /// Why the last sync failed; nil: it succeeded.
    public var problem: Problem? { TaskSyncState.read(storeFolder).problem }

    /// The same, but only once: the caller shows it to the user.
    @discardableResult
    public func takeProblem() -> Problem? { TaskSyncState.takeNews(storeFolder) }

    /// A sync before a command reads the tasks, with a shorter time limit because the user is waiting.
    public func brief() -> TaskSyncing {
        var brief = self
        brief.limit = .seconds(30)
        return brief
    }

    /// Call after changes: waits until a burst is over. If another process is already waiting for its turn,
    /// leaves the sync to it.
    public func runAfterChange() async throws -> Outcome {
        guard let lock = try await turn() else { return .nothing }
        defer { withExtendedLifetime(lock) {} }
        return try await sync(.change)
    }

    /// Acquires the lock after a pause; at most one process waits for it at a time. Once that process has the
    /// lock, another one may wait, because later changes need another sync.
    private func turn() async throws -> StateLock? {
        let place: StateLock
        do {
            place = try StateLock.take(path: storeFolder + "/tasks-sync.next")
        } catch {
            guard error.code == "locked" else { throw error }
            return nil
        }
        defer { withExtendedLifetime(place) {} }
        try await Task.sleep(for: pause)
        return try await taken()
    }

    /// Waits for a running sync, then syncs.
    public func run(_ reason: Reason) async throws -> Outcome {
        guard let lock = try await taken() else { return .busy }
        defer { withExtendedLifetime(lock) {} }
        return try await sync(reason)
    }

    /// Whether the folder has changed since the last sync.
    func isDue() -> Bool { TaskSyncState.read(storeFolder).digest != TaskFolderLook(tasksFolder).digest }

    /// nil: another sync exceeds its time limit.
    private func taken() async throws -> StateLock? { try await Self.turn(in: storeFolder, longest: limit) }

    /// The lock of a sync, after a wait for a running one; nil: that takes longer than `longest`.
    static func turn(in storeFolder: String, longest: Duration) async throws -> StateLock? {
        let end = ContinuousClock.now + longest
        while true {
            do {
                return try StateLock.take(path: storeFolder + "/tasks-sync.lock")
            } catch {
                guard error.code == "locked" else { throw error }
                guard ContinuousClock.now < end else { return nil }
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    // MARK: Sync

    private func sync(_ reason: Reason) async throws -> Outcome {
        var state = TaskSyncState.read(storeFolder)
        let before = TaskFolderLook(tasksFolder)
        if case .change = reason, state.failure == nil, state.digest == before.digest { return .nothing }
        let start = ContinuousClock.now
        let missing = state.total - before.total
        if missing > TaskFolderLook.brake(state.total), !allowsMassDelete {
            return failed(
                "\(missing) of \(state.total) task files are missing since the last sync; nothing was synced",
                next: "opus tasks sync --allow-mass-delete (if you deleted them)", &state)
        }
        var result = await program(settings.command).run()
        if case .ended(let status, let output) = result, status != 0, settings.command.last == "sync",
            SyncProgram(command: settings.command) == .vdirsyncer,
            let pair = SyncProgram.undiscovered(output), hasOwnSetup
        {
            // It may ask whether to make a list that the server does not have: no.
            var discovery = program(settings.command.dropLast() + ["discover", pair])
            discovery.input = String(repeating: "n\n", count: 200)
            result = await discovery.run()
            if case .ended(0, _) = result { result = await program(settings.command).run() }
        }
        if case .ended(let status, let output) = result, status != 0,
            SyncProgram(command: settings.command) == .vdirsyncer, settings.command.last == "sync"
        {
            let emptied = SyncProgram.emptied(output)
            let there = emptied.map(\.list).filter { (before.lists[$0] ?? 0) > 0 }
            let count = there.reduce(0) { $0 + (state.lists[$1] ?? 0) }
            if count > TaskFolderLook.brake(state.total), !allowsMassDelete {
                let here = there.reduce(0) { $0 + (before.lists[$1] ?? 0) }
                let names = there.joined(separator: ", ")
                return failed(
                    "the \(there.count == 1 ? "list \(names) has" : "lists \(names) have") no task on the server "
                        + "any more, and \(here) here; nothing was deleted",
                    next: "opus tasks sync --allow-mass-delete (if you deleted them there)", &state)
            }
            if !emptied.isEmpty {
                // The list is empty because its last task was moved or completed. vdirsyncer needs this flag
                // to accept that.
                result = await program(settings.command + ["--force-delete"] + emptied.map(\.pair)).run()
                if case .ended(0, _) = result { result = await program(settings.command).run() }
            }
        }
        try Task.checkCancellation()
        switch result {
        case .missing:
            let name = settings.command.first ?? ""
            return failed(
                "program \(name) not found", next: "install it, or correct tasks.sync-command", &state)
        case .timedOut:
            return failed(
                "\(settings.command.first ?? "") did not end within \(limit.components.seconds) s",
                next: "opus tasks sync", &state)
        case .ended(let status, let output) where status != 0:
            return failed(
                SyncProgram.reason(output, status: status),
                next: SyncProgram.next(after: output) ?? "opus tasks sync", &state)
        case .ended: break
        }
        let after = TaskFolderLook(tasksFolder)
        state.failure = nil
        state.syncedAt = clock.now
        state.lists = after.lists
        // If the folder changed during the sync, another sync is needed.
        state.digest = after == before ? after.digest : nil
        state.write(storeFolder)
        let time = (ContinuousClock.now - start).components
        return .synced(
            seconds: Double(time.seconds) + Double(time.attoseconds) / 1e18, files: after != before,
            onlyHere: listsOnlyHere(after))
    }

    /// The lists with tasks that the setup did not know: they are on no server, and on no other machine.
    private func listsOnlyHere(_ look: TaskFolderLook) -> [String] {
        guard let synced = ownSetup.flatMap(SyncProgramText.lists) else { return [] }
        return look.lists.keys.filter { !synced.contains($0) }.sorted()
    }

    /// A line about lists that are only here, for users, unless it was shown since the lists changed; nil: nothing is new.
    public func newsAbout(onlyHere lists: [String]) -> String? {
        var state = TaskSyncState.read(storeFolder)
        guard state.toldOnlyHere ?? [] != lists else { return nil }
        state.toldOnlyHere = lists
        state.write(storeFolder)
        return Self.words(onlyHere: lists)
    }

    /// nil: all lists are synced.
    public static func words(onlyHere lists: [String]) -> String? {
        guard !lists.isEmpty else { return nil }
        let names = lists.map { "“\($0)”" }.joined(separator: ", ")
        return "the tasks of the \(lists.count == 1 ? "list" : "lists") \(names) are on this machine only: "
            + "opus tasks sync-setup again, on each machine, adds \(lists.count == 1 ? "it" : "them") to the sync"
    }

    /// Whether the program uses the unchanged configuration of `sync-setup`, so that the tasks are at the same place as
    /// before. If a person names another server there, what the program remembers is of the old one.
    private var hasOwnSetup: Bool { ownSetup.map(SyncProgramText.isOwn) ?? false }

    /// The configuration that `sync-setup` wrote for the command.
    private var ownSetup: String? {
        guard settings.command.count == 4, settings.command[1] == "-c" else { return nil }
        let file = settings.command[2]
        let data = FileManager.default.contents(atPath: file.hasPrefix("/") ? file : root + "/" + file)
        return data.map { String(decoding: $0, as: UTF8.self) }
    }

    private func program(_ words: [String]) -> ProgramRun {
        ProgramRun(words: words, folder: root, environment: environment, limit: limit)
    }

    private func failed(_ words: String, next: String, _ state: inout TaskSyncState) -> Outcome {
        let isNews = state.failure?.words != words
        let old = isNews ? nil : state.failure
        state.failure = TaskSyncState.Failure(
            words: words, next: next, since: old?.since ?? clock.now, times: (state.failure?.times ?? 0) + 1,
            isTold: old?.isTold ?? false)
        state.write(storeFolder)
        let problem = state.problem ?? Problem("tasks-sync", exit: .temporary, message: words)
        return .failed(problem, isNews: isNews)
    }

    // MARK: Background

    /// Starts a separate process that syncs after the end of a burst, if anything changed. Returns at once.
    func begin() {
        guard isDue(),
            let opus = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        else { return }
        DetachedProcess.start([opus, "--workspace", configFile, "tasks", "sync", "--after-change"])
    }
}
