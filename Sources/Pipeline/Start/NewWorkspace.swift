import Accounts
import Discovery
import Files
import Foundation
import Glibc
import Models

/// A workspace for a new user: its location, its opus.yaml, and the starter rules. Existing files are never
/// changed.
public struct NewWorkspace: Sendable {
    let location: WorkspaceLocation
    let options: SessionOptions

    /// The workspace that commands would use here. If there is none: `--workspace`, the current folder, or
    /// `~/.config/opus` if the current folder is the home folder or the root.
    public init(_ options: SessionOptions) throws {
        self.options = options
        let known = Workspace.locate(
            explicit: options.workspace, environment: options.environment,
            currentDirectory: options.currentDirectory)
        let home = options.environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let isHome = [home, "/"].contains(options.currentDirectory)
        let config =
            options.environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? home.map { $0 + "/.config" }
        let folder =
            isHome ? config.map { $0 + "/opus" } ?? options.currentDirectory : options.currentDirectory
        let location =
            known
            ?? Workspace.locate(
                explicit: folder, environment: options.environment,
                currentDirectory: options.currentDirectory)
        guard let location else { throw Problem.noWorkspace }
        self.location = location
    }

    /// The path of opus.yaml.
    public var file: String { location.configFile }

    /// The folder of opus.yaml.
    public var folder: String { location.root }

    /// Whether opus.yaml exists.
    public var exists: Bool { FileManager.default.fileExists(atPath: location.configFile) }

    /// The settings with this account, in memory.
    ///
    /// - Throws: ``DiagnosticFailure`` if a value is invalid.
    func parsed(_ text: String) throws -> Workspace {
        let (workspace, diagnostics) = Workspace.parse(text, location)
        guard let workspace, !diagnostics.contains(where: { $0.severity == .error }) else {
            throw DiagnosticFailure(diagnostics, exit: .configuration)
        }
        return workspace
    }

    /// Creates the folder in which password commands run.
    func makeFolder() throws {
        do {
            try FileManager.default.createDirectory(
                atPath: location.root, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw cannotWrite(location.root, error.localizedDescription)
        }
    }

    func write(_ text: String) throws {
        try makeFolder()
        do throws(FileFailure) {
            try NewFile.write(Array(text.utf8), to: location.configFile)
        } catch {
            if error.number == EEXIST { throw alreadyThere }
            throw cannotWrite(location.configFile, String(cString: strerror(error.number)))
        }
    }

    /// Copies the starter rules, unless the workspace has a rules folder. All of them or none: the folder gets its name last.
    ///
    /// - Returns: The names of the copied files.
    func installStarterRules(_ workspace: Workspace) throws -> [String] {
        let manager = FileManager.default
        guard !manager.fileExists(atPath: workspace.rulesFolder),
            let share = ShareFolder.locate(program: "/proc/self/exe", environment: options.environment)
        else { return [] }
        let source = URL(filePath: share.rules).resolvingSymlinksInPath().path
        let unfinished = workspace.rulesFolder + ".unfinished"
        do {
            try? manager.removeItem(atPath: unfinished)
            try manager.createDirectory(
                atPath: unfinished, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            var copied: [String] = []
            for name in try manager.contentsOfDirectory(atPath: source).sorted()
            where name.hasSuffix(".yaml") {
                let bytes = Array(try Data(contentsOf: URL(filePath: source + "/" + name)))
                try NewFile.write(bytes, to: unfinished + "/" + name)
                copied.append(name)
            }
            try manager.moveItem(atPath: unfinished, toPath: workspace.rulesFolder)
            return copied
        } catch let failure as FileFailure {
            throw cannotWrite(workspace.rulesFolder, String(cString: strerror(failure.number)))
        } catch {
            throw cannotWrite(workspace.rulesFolder, error.localizedDescription)
        }
    }

    /// A name for the file of a typed password that no file has: `work.password`, or `work-2.password`.
    public func passwordFile(of account: String) -> String {
        let names = ["\(account).password"] + (2...1_000).map { "\(account)-\($0).password" }
        return names.first { !FileManager.default.fileExists(atPath: location.root + "/" + $0) } ?? names[0]
    }

    /// Saves a typed password in a new file that only the user can read.
    ///
    /// - Returns: The command that prints it.
    public func keep(password: String, in name: String) throws -> [String] {
        try makeFolder()
        do throws(FileFailure) {
            try NewFile.write(Array((password + "\n").utf8), to: location.root + "/" + name)
        } catch {
            throw cannotWrite(location.root + "/" + name, String(cString: strerror(error.number)))
        }
        return ["cat", name]
    }

    /// Deletes the file that ``keep(password:in:)`` made, after a failed login.
    public func forgetPassword(in name: String) { unlink("\(location.root)/\(name)") }

    var alreadyThere: Problem {
        Problem(
            "workspace-exists", exit: .cannotCreate,
            message: "there is already a workspace: \(location.configFile)",
            details: ["opus init does not change existing files"],
            next: ["opus account add ADDRESS"])
    }

    private func cannotWrite(_ path: String, _ reason: String) -> Problem {
        Problem(
            "cannot-write", exit: .cannotCreate, message: "\(path) cannot be written: \(reason)",
            next: ["opus --workspace FOLDER init"])
    }
}
