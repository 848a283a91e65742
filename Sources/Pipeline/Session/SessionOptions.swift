public import Accounts
public import Logging
public import Models

/// Where a command runs: the workspace that was named, the environment, the clock and the log.
public struct SessionOptions: Sendable {
    public var workspace: String?
    public var environment: [String: String]
    public var currentDirectory: String
    /// A fixed clock; nil is the system's.
    public var now: Timestamp?
    public var logger: Logger
    /// For `first-run: since` where opus.yaml has none; nil: it stays without.
    public var firstRunDays: Int?

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
    /// Only the settings, for commands that need no store.
    ///
    /// - Throws: ``Problem`` when there is no workspace, or when others could have written it; ``DiagnosticFailure`` when
    ///   its settings have errors.
    public func loadWorkspace() throws -> Workspace {
        let location = try locate()
        let (workspace, diagnostics) = Workspace.load(location)
        let errors = diagnostics.filter { $0.severity == .error }
        guard let workspace, errors.isEmpty else {
            if location.lacksSettings, let other = location.misnamedFile { throw Problem.misnamed(other) }
            throw DiagnosticFailure(diagnostics, exit: .configuration)
        }
        return workspace
    }

    /// Where the settings are; others could not have written them.
    func locate() throws -> WorkspaceLocation {
        guard
            let location = Workspace.locate(
                explicit: workspace, environment: environment, currentDirectory: currentDirectory)
        else {
            let misnamed = Workspace.misnamedFile(
                environment: environment, currentDirectory: currentDirectory)
            throw misnamed.map(Problem.misnamed) ?? Problem.noWorkspace
        }
        // Checked before anything is read: the password-command of the file would run.
        if let doubt = PathTrust().doubt(about: location.configFile) {
            throw Problem.untrusted(doubt, at: location)
        }
        return location
    }
}
