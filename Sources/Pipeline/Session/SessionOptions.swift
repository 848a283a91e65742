public import Accounts
public import Logging
public import Models

/// The environment of a command: the named workspace, the environment variables, the clock and the log.
public struct SessionOptions: Sendable {
    public var workspace: String?
    public var environment: [String: String]
    public var currentDirectory: String
    /// A fixed time; nil: the system clock.
    public var now: Timestamp?
    public var logger: Logger
    /// The value of `first-run: since` if opus.yaml has none; nil: no value.
    public var firstRunDays: Int?
    /// How long a command waits for another one that changes the same workspace.
    public var longestWait = Duration.zero
    /// Called once if that wait takes longer than a moment, with the process that opus waits for.
    public var noteWait: @Sendable (Int?) -> Void = { _ in }
    /// The settings, if they are loaded; nil: they are read from their file.
    var loaded: Workspace?

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

extension SessionOptions {
    /// Loads only the settings, for commands that need no store.
    ///
    /// - Throws: ``Problem`` if there is no workspace, or if other users may have written it;
    ///   ``DiagnosticFailure`` if its settings have errors.
    public func loadWorkspace() throws -> Workspace {
        if let loaded { return loaded }
        let location = try locate()
        let (workspace, diagnostics) = Workspace.read(location)
        let errors = diagnostics.filter { $0.severity == .error }
        guard let workspace, errors.isEmpty else {
            if location.lacksSettings, let other = location.misnamedFile { throw Problem.misnamed(other) }
            throw DiagnosticFailure(diagnostics, exit: .configuration)
        }
        return workspace.withMailDomains()
    }

    /// The lock of a workspace. Waits for another command that has it.
    func takeLock(in storeFolder: String) throws -> StateLock {
        try StateLock.take(
            path: storeFolder + "/lock", watch: WatchPeer(storeFolder: storeFolder),
            waiting: StateLock.Patience(longest: longestWait, note: noteWait))
    }

    /// Finds the settings; throws if other users may have written them.
    func locate() throws -> WorkspaceLocation {
        guard
            let location = Workspace.locate(
                explicit: workspace, environment: environment, currentDirectory: currentDirectory)
        else {
            let misnamed = Workspace.misnamedFile(
                environment: environment, currentDirectory: currentDirectory)
            throw misnamed.map(Problem.misnamed) ?? Problem.noWorkspace
        }
        // Checked before anything is read, because the file's password-command would be run.
        if let doubt = PathTrust().doubt(about: location.configFile) {
            throw Problem.untrusted(doubt, at: location)
        }
        return location
    }
}
