import Accounts
import Foundation
public import Models

/// Shows, checks and changes `opus.yaml`. It needs no store, and works on files with errors.
public struct ConfigTool: Sendable {
    let file: ConfigFile
    /// nil: the file has errors.
    let workspace: Workspace?
    public let findings: [Diagnostic]

    /// - Throws: ``Problem`` if the workspace is missing, its file cannot be read, or other users may have
    ///   changed it.
    public init(_ options: SessionOptions) throws {
        let location = try options.locate()
        do throws(ConfigFile.Failure) {
            file = try ConfigFile(location)
        } catch {
            throw Problem.of(error, location)
        }
        (workspace, findings) = Workspace.check(file.text, file.location)
    }

    /// The path as the user would type it.
    public var shownFile: String { file.location.shownFile }
    public var path: String { file.location.configFile }
    public var folder: String { file.location.root }
    public var text: String { file.text }
    /// A file `opus.yml` in the same folder, which opus does not read.
    public var misnamedFile: String? { file.location.misnamedFile }
    /// nil: the file has errors.
    public var accountCount: Int? { workspace?.accounts.count }

    /// The errors of a text that would replace the file.
    public func errors(in text: String) -> [Diagnostic] {
        Workspace.check(text, file.location).findings.filter { $0.severity == .error }
    }

    /// The JSON Schema of `opus.yaml`.
    public static var schema: String { ConfigSchema.text }

    /// A setting: its value, and where the value comes from.
    public struct Setting: Sendable {
        public var key: String
        public var value: String
        /// The line in the file; nil: the value is the default.
        public var line: Int?
    }

    /// All effective settings: those of the file, and the defaults of the others.
    ///
    /// - Throws: ``DiagnosticFailure`` if the file has errors.
    public func settings() throws -> [Setting] {
        guard let workspace, let text = ConfigText(file.text) else {
            throw DiagnosticFailure(findings, exit: .configuration)
        }
        var settings: [Setting] = []
        walk(ConfigTable.keys, [], text, workspace, &settings)
        return settings
    }

    /// One value: from the file, or the default.
    ///
    /// - Throws: ``Problem`` if the key is unknown or has no value; ``DiagnosticFailure`` if the file is not
    ///   YAML.
    public func value(of key: String) throws -> Setting {
        let text = try readable()
        let (path, _, entry) = try Self.path(key, in: text)
        if let found = text.value(at: path) { return Setting(key: key, value: found.text, line: found.line) }
        if let standard = workspace.flatMap({ Self.own(path, $0) }) ?? entry?.standard {
            return Setting(key: key, value: standard)
        }
        throw Problem(
            "not-set", exit: .notFound, message: "\(key) is not set, and has no default",
            place: file.location.shownFile, next: ["opus config set \(key) VALUE"])
    }

    /// Sets one value and keeps everything else byte for byte.
    ///
    /// - Returns: The value with its line.
    /// - Throws: ``Problem`` if the key is unknown or opus cannot make the change; ``DiagnosticFailure`` if
    ///   the change would add an error to the file. Then nothing is written.
    public func set(_ key: String, to value: String) throws -> Setting {
        let text = try readable()
        let (path, _, _) = try Self.path(key, in: text)
        let new: String
        do throws(ConfigText.Refusal) {
            new = try text.setting(path, to: value)
        } catch {
            throw refusal(error, key)
        }
        let known = Set(findings.map(\.message))
        let errors = errors(in: new).filter { !known.contains($0.message) }
        guard errors.isEmpty else { throw DiagnosticFailure(errors, exit: .configuration) }
        try write(new)
        let line = ConfigText(new)?.value(at: path)?.line
        return Setting(key: key, value: value, line: line)
    }

    /// Removes one entry of a mapping, and the mapping if it becomes empty. Everything else stays byte for
    /// byte.
    ///
    /// - Throws: ``Problem`` if the entry is not exactly one line of the file.
    func unset(_ steps: [String]) throws {
        let text = try readable()
        let path = ConfigPath(entry: steps)
        guard let new = text.removing(path) else {
            throw Problem(
                "not-one-line", exit: .configuration,
                message: "\(path) is not on a line of its own; remove it by hand",
                place: file.location.shownFile, next: ["opus config edit"])
        }
        try write(new)
    }

    /// Writes the text from an editor.
    public func write(_ text: String) throws {
        do throws(ConfigFile.Failure) {
            try file.write(text)
        } catch {
            throw Problem.of(error, file.location)
        }
    }

    private func readable() throws -> ConfigText {
        guard let text = ConfigText(file.text) else {
            throw DiagnosticFailure(findings, exit: .configuration)
        }
        return text
    }

    private func refusal(_ refusal: ConfigText.Refusal, _ key: String) -> Problem {
        switch refusal {
        case .severalLines(let line):
            Problem(
                "cannot-edit", exit: .badData,
                message: "\(key) is written in a form that opus does not change",
                place: "\(file.location.shownFile):\(line)", next: ["opus config edit"])
        case .unwritable:
            Problem(
                "cannot-edit", exit: .badData,
                message: "the value of \(key) has line ends or control characters",
                place: file.location.shownFile, next: ["opus config edit"])
        }
    }

    private static func path(
        _ key: String, in text: ConfigText
    ) throws -> (path: ConfigPath, shape: ConfigKey.Shape, key: ConfigKey?) {
        do throws(ConfigPath.Unknown) {
            return try ConfigPath.parse(key, accounts: text.accounts)
        } catch {
            let known = error.known.joined(separator: ", ")
            throw Problem(
                "unknown-key", exit: .usage, message: "\(error.title) has no key '\(error.part)'",
                next: [
                    error.near.map { "did you mean '\($0)'?" }
                        ?? (known.isEmpty ? "it has no keys" : "one of: " + known)
                ])
        }
    }

    // MARK: All settings

    /// Sections that are listed only if they are in the file.
    private static let optional: Set<String> = ["imap", "smtp", "tls", "login", "smime", "folders"]

    private func walk(
        _ keys: [ConfigKey], _ above: [String], _ text: ConfigText, _ workspace: Workspace,
        _ settings: inout [Setting]
    ) {
        for key in keys {
            let path = above + [key.name]
            if case .listed(let inner) = key.shape {
                for name in text.accounts { walk(inner, path + [name], text, workspace, &settings) }
                continue
            }
            let inside = text.values.filter { $0.path.steps.starts(with: path) }
            if inside.count == 1, let own = inside.first, own.path.steps == path {
                settings.append(Setting(key: own.path.description, value: own.text, line: own.line))
            } else if case .section(let inner) = key.shape {
                if !inside.isEmpty || !Self.optional.contains(key.name) {
                    walk(inner, path, text, workspace, &settings)
                }
            } else if !inside.isEmpty {
                settings += inside.map {
                    Setting(key: $0.path.description, value: $0.text, line: $0.line)
                }
            } else if let standard = Self.own(path, workspace) ?? key.standard {
                settings.append(Setting(key: path.joined(separator: "."), value: standard))
            }
        }
    }

    private static func own(_ path: ConfigPath, _ workspace: Workspace) -> String? {
        own(path.steps, workspace)
    }

    /// Defaults that depend on the machine or on other settings.
    private static func own(_ path: [String], _ workspace: Workspace) -> String? {
        switch path {
        case ["time-zone"]: workspace.timeZone
        case ["tasks", "path"]: workspace.tasksFolder
        case ["rules", "path"]: workspace.rulesFolder
        case ["store", "path"]: workspace.storeFolder
        case ["attachments", "path"]: workspace.attachmentsFolder
        case ["brakes", "trash"]: String(workspace.brakes.trash ?? workspace.brakes.count)
        case _: nil
        }
    }
}

extension Problem {
    static func of(_ failure: ConfigFile.Failure, _ location: WorkspaceLocation) -> Problem {
        let place = location.shownFile
        switch failure {
        case .missing: return .missingSettings(location)
        case .unreadable(let reason):
            return Problem("settings", exit: .inputOutput, message: "\(place) cannot be read: \(reason)")
        case .changed:
            return Problem(
                "settings-changed", exit: .temporary,
                message: "another program changed \(place) meanwhile; nothing was written",
                next: ["the same command again"])
        case .unwritable(let reason):
            return Problem(
                "settings", exit: .cannotCreate, message: "\(place) cannot be written: \(reason)",
                next: ["check the permissions of the file and its folder"])
        }
    }
}
