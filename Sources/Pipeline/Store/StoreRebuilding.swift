import Accounts
import Glibc
import MailStore
public import Models

/// Reads the accounts again into a new store, copies what only the old one has, and replaces the old one.
///
/// The new store is built in a folder beside the old one. If a rebuild is interrupted, the old store does not
/// change, and the next rebuild continues.
public struct StoreRebuilding: Sendable {
    let workspace: Workspace
    let accounts: AccountAccess
    let store: Store
    /// The use cases for another store of the same workspace.
    let over: @Sendable (Store) -> UseCases

    public struct Report: Sendable {
        public var path: String
        /// Whether it continued an interrupted rebuild.
        public var isResumed: Bool
        public var accounts: [SyncReport]
        /// Messages that the accounts no longer have.
        public var kept: Int
        /// Rows that only the store had.
        public var carried: [Carried]
        public var before: Int64
        public var after: Int64
    }

    public struct Carried: Sendable {
        public var table: String
        public var words: String
        public var rows: Int
    }

    private var folder: String { workspace.storeFolder + "/rebuild" }

    public func rebuild(
        account: String?, progress: @escaping @Sendable (SyncProgress) -> Void = { _ in },
        stage: (String) -> Void = { _ in }
    ) async throws -> Report {
        let ids = try accounts.ids(named: account)
        let before = store.bytesOnDisk
        let rebuild = try begin(ids)
        do {
            let reports = try await sync(ids, into: rebuild.store, progress)
            stage("Carrying over what only this store has")
            let carried = try readable { try rebuild.carry() }
            // The sync did not know what the user split and joined.
            let syncing = over(rebuild.store).syncing
            for id in try accounts.ids(named: nil) { try syncing.updateThreads(of: id) }
            stage("Replacing the store")
            try Problem.wrap { try rebuild.replace() }
            rebuild.close()
            removeFolder()
            return Report(
                path: workspace.storeFolder + "/store.sqlite", isResumed: rebuild.isResumed,
                accounts: reports, kept: carried.messages,
                carried: StoreTable.all.compactMap { table in
                    carried.rows[table.name].map {
                        Carried(table: table.name, words: table.contents, rows: $0)
                    }
                }, before: before, after: store.bytesOnDisk)
        } catch {
            rebuild.close()
            throw error
        }
    }

    /// Continues an interrupted rebuild, or begins again if the store has changed since.
    private func begin(_ ids: [AccountID]) throws -> StoreRebuild {
        if mkdir(folder, 0o700) != 0, errno != EEXIST {
            throw Problem(
                "cannot-rebuild", exit: .cannotCreate,
                message: "cannot make \(folder): \(String(cString: strerror(errno)))",
                next: ["check the permissions of the folder"])
        }
        let path = folder + "/store.sqlite"
        do {
            return try StoreRebuild(at: path, replacing: store, accounts: ids)
        } catch MailStoreError.staleRebuild, MailStoreError.corrupt {
            removeFiles()
            return try readable { try StoreRebuild(at: path, replacing: store, accounts: ids) }
        } catch {
            throw Problem(error)
        }
    }

    /// Throws if the old store cannot be read: a rebuild needs the data that only it has.
    private func readable<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch MailStoreError.corrupt(let reason), MailStoreError.sql(let reason) {
            throw Problem.unreadableStore(reason, at: workspace.storeFolder + "/store.sqlite")
        } catch {
            throw Problem(error)
        }
    }

    private func sync(
        _ ids: [AccountID], into new: Store, _ progress: @escaping @Sendable (SyncProgress) -> Void
    ) async throws -> [SyncReport] {
        let parts = over(new)
        var reports: [SyncReport] = []
        do {
            for id in ids {
                let report = try await parts.syncing.account(
                    id, oldest: try oldest(of: id), progress: progress)
                try requireWhole(report, in: new)
                reports.append(report)
            }
        } catch {
            await parts.pools.closeAll()
            throw stopped(error)
        }
        await parts.pools.closeAll()
        return reports
    }

    /// The oldest mail of each mailbox in the old store. It is read again, however old it is.
    private func oldest(of account: AccountID) throws -> [MailboxName: Timestamp] {
        var oldest: [MailboxName: Timestamp] = [:]
        for mailbox in try store.sync.mailboxes(of: account) {
            oldest[mailbox.name] = try store.messages.oldest(of: account, mailbox: mailbox.name)
        }
        return oldest
    }

    /// Throws if a mailbox was not read completely: its mail would be missing from the new store.
    private func requireWhole(_ report: SyncReport, in new: Store) throws {
        for mailbox in report.mailboxes {
            let state = try Problem.wrap {
                try new.sync.syncState(of: report.account, mailbox: mailbox.mailbox.name)
            }
            guard state?.syncedAt == nil, let reason = mailbox.problem else { continue }
            throw Problem(
                "rebuild-incomplete", exit: .temporary,
                message: "\(mailbox.mailbox.displayName) could not be read to its end: \(reason)",
                place: "account \(report.account)", next: ["opus store rebuild (it continues)"])
        }
    }

    private func stopped(_ error: any Error) -> any Error {
        guard !(error is CancellationError) else { return error }
        var problem = Problem(error)
        problem.details.append(
            "the store stays as it was; what was read is kept for the next opus store rebuild")
        return problem
    }

    private func removeFiles() {
        for suffix in ["", "-wal", "-shm"] { unlink(folder + "/store.sqlite" + suffix) }
    }

    private func removeFolder() {
        removeFiles()
        rmdir(folder)
    }
}
