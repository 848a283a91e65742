import Accounts
public import Models
import TaskStore

/// The events of a watch on accounts and the task folder.
public enum WatchedEvent: Sendable {
    case account(AccountID, WatchEvent)
    case tasks(TaskWatchEvent)
    /// The account is no longer watched, until the user requests it or the settings change.
    case ended(AccountID, Problem)
}

extension Watching {
    /// Watches several accounts, the task folder and the rules, as long as one of the accounts is watched.
    /// With `isOnce`, each account until its first change. Returns the problems that ended accounts.
    ///
    /// An account with a refused login waits for the user or another password. If all accounts wait and none was ever
    /// synced, the watch ends.
    public func all(
        _ accounts: [AccountID], isOnce: Bool, control: WatchControl = WatchControl(),
        tell: @escaping @Sendable (WatchedEvent) -> Void
    ) async -> [Problem] {
        var watching = self
        watching.lock.gate = control.gate
        return await watching.everything(accounts, isOnce: isOnce, control, tell)
    }

    private func everything(
        _ accounts: [AccountID], isOnce: Bool, _ control: WatchControl,
        _ report: @escaping @Sendable (WatchedEvent) -> Void
    ) async -> [Problem] {
        let tell: @Sendable (WatchedEvent) -> Void = { event in
            if case .account(_, .synced) = event { control.noteSync() }
            report(event)
        }
        let board = board(of: accounts, began: control.began, tell)
        control.show(board)
        defer {
            control.close()
            board.remove()
        }
        let news = TaskNews(note: board.noteTasks) { tell(.tasks($0)) }
        // These tasks end with this function, because the store may be closed afterwards.
        async let _ = try? await self.tasks(
            of: accounts, news, isReachable: { board.mayFollow($0) }, reschedule: { control.ring(.steps) })
        async let _ = await rules.watchFiles { control.ring(.files) }
        async let _ = try? await reportSilence(board, tell)
        async let _ = await syncTasks(news)
        return await withTaskGroup(of: Ended.self) { group in
            var refused: [AccountID: Problem] = [:]
            var (running, failures) = (accounts.count, [Problem]())
            /// Refused accounts for which the watch continues, even if no other account is left.
            var waiting: Set<AccountID> = []
            func add(_ account: AccountID) {
                let bell = control.bell(of: account)
                group.addTask {
                    do {
                        try await self.watch(account, isOnce: isOnce, bell, board, news) {
                            tell(.account(account, $0))
                        }
                        return .finished
                    } catch {
                        if Task.isCancelled || stop.isRequested { return .finished }
                        return .failed(account, Problem(error))
                    }
                }
            }
            for account in accounts { add(account) }
            while running + waiting.count > 0, let ended = await group.next() {
                switch ended {
                case .finished: running -= 1
                case .failed(let account, let problem):
                    running -= 1
                    if problem.exit == .loginRefused, control.hasWorked, !isOnce { waiting.insert(account) }
                    refused[account] = problem
                    board.fail(account, problem)
                    tell(.ended(account, problem))
                    failures.append(problem)
                    let bell = control.bell(of: account)
                    group.addTask {
                        let isBack = await bell.revival(after: problem, every: Credentials.passwordLife) {
                            await self.hasOtherSecret(account, after: problem)
                        }
                        return isBack ? .revived(account) : .gaveUp(account)
                    }
                case .revived(let account):
                    running += 1
                    waiting.remove(account)
                    failures.removeAll { $0 == refused[account] }
                    await connections.pools.forget(account)
                    await connections.credentials.forget(account)
                    add(account)
                case .gaveUp(let account): waiting.remove(account)
                }
            }
            group.cancelAll()
            return failures
        }
    }

    /// Trying the same password again would count as another failed login.
    private func hasOtherSecret(_ id: AccountID, after problem: Problem) async -> Bool {
        guard problem.exit == .loginRefused, let account = try? accounts.require(id) else { return false }
        return await connections.credentials.hasOther(account)
    }

    private enum Ended: Sendable {
        case finished
        case failed(AccountID, Problem)
        case revived(AccountID)
        case gaveUp(AccountID)
    }

    private func board(
        of accounts: [AccountID], began: Timestamp?, _ tell: @escaping @Sendable (WatchedEvent) -> Void
    ) -> WatchBoard {
        WatchBoard(
            file: workspace.storeFolder + "/watch.json", accounts: accounts, interval: interval,
            began: began, clock: clock
        ) { tell(.account($0.account, .state($0))) }
    }

    /// Reports each account that was not synced for too long, once.
    private func reportSilence(
        _ board: WatchBoard, _ tell: @escaping @Sendable (WatchedEvent) -> Void
    ) async throws {
        while true {
            try await Task.sleep(for: board.untilSilence)
            // After the machine slept, the accounts get the time to sync again.
            try await Task.sleep(for: min(interval, Self.grace), clock: .suspending)
            for silence in board.newlySilent() { tell(.account(silence.account, .silent(silence.seconds))) }
        }
    }

    private static let grace = Duration.seconds(60)
}
