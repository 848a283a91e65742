public import Accounts
import Executor
public import Logging
public import MailStore
public import Models
import Synchronization
import TaskStore

/// What a command was told about its surroundings.
public struct SessionOptions: Sendable {
    public var workspace: String?
    public var environment: [String: String]
    public var currentDirectory: String
    /// A fixed clock; nil is the system's.
    public var now: Timestamp?
    public var logger: Logger

    public init(
        workspace: String? = nil, environment: [String: String], currentDirectory: String,
        now: Timestamp? = nil,
        logger: Logger
    ) {
        self.workspace = workspace
        self.environment = environment
        self.currentDirectory = currentDirectory
        self.now = now
        self.logger = logger
    }
}

/// One command's hold on a workspace: its settings, its store, its clock, and the lock when it changes anything.
///
/// Every effect goes through the journal in the store; the functions on a session are what the commands (and
/// later the page) call.
public final class Session: Sendable {
    public enum Access: Sendable {
        case reading
        /// Takes the lock: one process at a time.
        case changing
    }

    public let workspace: Workspace
    public let store: MailStore
    public let clock: SessionClock
    public let zone: ZoneClock
    public let logger: Logger
    let tasks: TaskStore
    /// What rules saved.
    let files: AttachmentFolder
    let connections = Connections()
    let credentials = Credentials()
    /// Messages of steps that were given up in this session: no rule asks for them again before the next.
    let refused = Mutex<Set<EmailID>>([])
    private let lock: StateLock?

    private init(
        workspace: Workspace, store: MailStore, clock: SessionClock, logger: Logger, lock: StateLock?
    ) {
        self.workspace = workspace
        self.store = store
        self.clock = clock
        self.logger = logger
        self.lock = lock
        zone = ZoneClock(zone: workspace.timeZone)
        tasks = TaskStore(
            root: workspace.tasksFolder, conflicts: workspace.storeFolder + "/conflicts")
        files = AttachmentFolder(root: workspace.attachmentsFolder)
    }

    public static func open(_ options: SessionOptions, _ access: Access) throws -> Session {
        let workspace = try Self.workspace(options)
        let folder = workspace.storeFolder
        try Problem.wrap { try workspace.makeStoreFolder() }
        if let doubt = PathTrust().doubt(about: folder) {
            throw Problem.untrusted(doubt, place: workspace.configFile)
        }
        var lock: StateLock?
        if access == .changing { lock = try StateLock.take(path: folder + "/lock") }
        do {
            let store = try MailStore.open(path: folder + "/store.sqlite")
            return Session(
                workspace: workspace, store: store, clock: SessionClock(fixed: options.now),
                logger: options.logger,
                lock: lock)
        } catch {
            throw Problem(error)
        }
    }

    /// A session for the time of `body`: logged out and closed at its end, however it ends.
    public static func with(
        _ options: SessionOptions, _ access: Access, _ body: (Session) async throws -> Void
    ) async throws {
        let session = try open(options, access)
        do {
            try await body(session)
        } catch {
            await session.connections.closeAll()
            session.close()
            throw error
        }
        await session.connections.closeAll()
        session.close()
    }

    /// The settings alone, for commands that need no store.
    public static func workspace(_ options: SessionOptions) throws -> Workspace {
        guard
            let location = Workspace.locate(
                explicit: options.workspace, environment: options.environment,
                currentDirectory: options.currentDirectory)
        else { throw Problem.noWorkspace }
        // Before a word of it is read: its password-command would run.
        if let doubt = PathTrust().doubt(about: location.configFile) {
            throw Problem.untrusted(doubt, at: location)
        }
        let (workspace, diagnostics) = Workspace.load(location)
        let errors = diagnostics.filter { $0.severity == .error }
        guard let workspace, errors.isEmpty else {
            throw DiagnosticFailure(diagnostics, exit: .configuration)
        }
        return workspace
    }

    /// Closes the store; the lock goes with the session.
    public func close() { store.close() }

    public var now: Timestamp { clock.now }

    /// Holds the lock for the time of `body`, where the session does not hold it anyway.
    func withLock<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        let path = workspace.storeFolder + "/lock"
        let taken = lock == nil ? try StateLock.take(path: path, isBrief: true) : nil
        defer { withExtendedLifetime(taken) {} }
        return try await body()
    }

    /// The accounts asked for: all of them, or the one that was named.
    public func accounts(named name: String?) throws -> [AccountID] {
        guard let name else {
            guard !workspace.accounts.isEmpty else {
                throw Problem(
                    "no-account", exit: .configuration, message: "the workspace has no account",
                    place: workspace.configFile,
                    next: ["add one under accounts: (opus help config)", "opus demo"])
            }
            return workspace.accounts.map(\.id)
        }
        guard let account = workspace.accounts.first(where: { $0.id.rawValue == name }) else {
            throw Problem(
                "no-such-account", exit: .notFound, message: "there is no account \"\(name)\"",
                place: workspace.configFile,
                next: ["one of: " + workspace.accounts.map(\.id.rawValue).joined(separator: ", ")])
        }
        return [account.id]
    }
}

/// Findings in files that a person wrote; each is shown with its place.
public struct DiagnosticFailure: Error, Sendable {
    public let diagnostics: [Diagnostic]
    public let exit: ExitStatus

    public init(_ diagnostics: [Diagnostic], exit: ExitStatus) {
        self.diagnostics = diagnostics
        self.exit = exit
    }
}
