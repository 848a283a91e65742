import Files
import Foundation
import Models

/// The result of the last sync of the task folder with a calendar server, stored in the folder of the store
/// for all commands.
struct TaskSyncState: Codable, Sendable {
    /// Why the last sync failed.
    struct Failure: Codable, Sendable {
        var words: String
        var next: String
        var since: Timestamp
        /// The number of consecutive failures.
        var times: Int
        /// Whether it was shown to the user.
        var isTold: Bool
    }

    /// When the last successful sync ended.
    var syncedAt: Timestamp?
    var failure: Failure?
    /// The digest of the folder after the last sync, if that sync changed nothing; nil: another sync may be
    /// needed.
    var digest: String?
    /// The number of tasks in each list after the last sync.
    var lists: [String: Int] = [:]
    /// The lists of which the user knows that they are only on this machine.
    var toldOnlyHere: [String]?

    var total: Int { lists.values.reduce(0, +) }

    /// The failure as an error of commands.
    var problem: Problem? {
        failure.map {
            Problem(
                "tasks-sync", exit: .temporary, message: "the tasks are not synced: \($0.words)",
                place: "tasks: { sync-command: … }", next: [$0.next])
        }
    }

    // MARK: File

    static func path(_ storeFolder: String) -> String { storeFolder + "/tasks-sync.json" }

    /// If the file is missing or damaged, opus assumes that no sync has happened yet.
    static func read(_ storeFolder: String) -> TaskSyncState {
        guard let data = FileManager.default.contents(atPath: path(storeFolder)), data.count < 1 << 20,
            let state = try? JSONDecoder().decode(TaskSyncState.self, from: data)
        else { return TaskSyncState() }
        return state
    }

    /// A failed write is ignored, because it only causes one more sync.
    func write(_ storeFolder: String) {
        guard let data = try? JSONEncoder().encode(self) else { return }
        let path = Self.path(storeFolder)
        try? ReplacedFile.write(
            Array(data), to: path, through: path + ".\(ProcessInfo.processInfo.processIdentifier)")
    }

    /// The failure, if it was not shown yet. Marks it as shown.
    static func takeNews(_ storeFolder: String) -> Problem? {
        var state = read(storeFolder)
        guard state.failure?.isTold == false else { return nil }
        state.failure?.isTold = true
        state.write(storeFolder)
        return state.problem
    }
}
