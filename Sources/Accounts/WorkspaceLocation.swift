import Glibc

/// The `opus.yaml` to use, before it is read.
public struct WorkspaceLocation: Hashable, Sendable {
    /// The folder of the file.
    public var root: String
    /// If the user named it, it may not exist.
    public var configFile: String
    /// The path as the user would type it.
    public var shownFile: String
    /// The default folder for tasks and the store.
    public var dataFolder: String
    /// Whether the workspace is a separate folder (with the store in `.opus/`); otherwise the folders of an
    /// installed program are used.
    public var isFolder: Bool
    /// The replacement for `~`.
    public var home: String?
    /// Found in a parent folder, not named by the user.
    public var isDiscovered = false
}

extension Workspace {
    public static let fileName = "opus.yaml"

    /// Finds the workspace: `--workspace`, `$OPUS_WORKSPACE`, the nearest parent folder with an `opus.yaml`
    /// (up to the home folder or a mount point), `$XDG_CONFIG_HOME/opus`. nil: none of these exists.
    ///
    /// A path that the user named is used even if it does not exist, so that the error can name it.
    public static func locate(
        explicit: String?, environment: [String: String], currentDirectory: String
    ) -> WorkspaceLocation? {
        let finder = WorkspaceFinder(environment: environment, currentDirectory: currentDirectory)
        if let named = explicit ?? environment["OPUS_WORKSPACE"], !named.isEmpty {
            return finder.named(named)
        }
        return finder.nearestParent() ?? finder.installed()
    }

    /// If no settings were found: a file `opus.yml` in one of these folders, which opus does not read.
    public static func misnamedFile(environment: [String: String], currentDirectory: String) -> String? {
        let finder = WorkspaceFinder(
            environment: environment, currentDirectory: currentDirectory, fileName: "opus.yml")
        return (finder.nearestParent() ?? finder.installed())?.configFile
    }
}

extension WorkspaceLocation {
    /// Whether the file is missing.
    public var lacksSettings: Bool { !Disk.isFile(configFile) }
}

private struct WorkspaceFinder {
    let environment: [String: String]
    let currentDirectory: String
    var fileName = Workspace.fileName

    private var home: String? { environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } }

    /// XDG base directories must be absolute; the specification says to ignore others.
    private func folder(_ variable: String, otherwise: String) -> String? {
        if let value = environment[variable], value.hasPrefix("/") { return Paths.clean(value) }
        return home.map { Paths.clean($0 + "/" + otherwise) }
    }

    private var configHome: String? { folder("XDG_CONFIG_HOME", otherwise: ".config").map { $0 + "/opus" } }
    private var dataHome: String? { folder("XDG_DATA_HOME", otherwise: ".local/share").map { $0 + "/opus" } }

    func named(_ path: String) -> WorkspaceLocation {
        let absolute = Paths.absolute(path, below: currentDirectory, home: home)
        if Disk.isFolder(absolute) || !absolute.hasSuffix(".yaml") {
            return location(absolute, Workspace.fileName)
        }
        return location(Paths.parent(absolute), Paths.name(absolute))
    }

    /// The search ends at the home folder or at a mount point.
    func nearestParent() -> WorkspaceLocation? {
        let homes = Set(
            [home, UserAccount.home(of: geteuid())].compactMap(\.self).compactMap { FileStatus($0)?.number })
        var folder = Paths.clean(currentDirectory)
        while true {
            if Disk.isFile(Paths.join(folder, fileName)) {
                var found = location(folder, fileName)
                found.isDiscovered = true
                return found
            }
            let parent = Paths.parent(folder)
            guard folder != "/", !(FileStatus(folder).map { homes.contains($0.number) } ?? false),
                Disk.mount(of: folder) == Disk.mount(of: parent)
            else { return nil }
            folder = parent
        }
    }

    func installed() -> WorkspaceLocation? {
        guard let folder = configHome, Disk.isFile(Paths.join(folder, fileName)) else { return nil }
        return location(folder, fileName)
    }

    private func location(_ root: String, _ name: String) -> WorkspaceLocation {
        let file = Paths.join(root, name)
        let base = Paths.clean(currentDirectory)
        let shown = file.hasPrefix(base + "/") ? String(file.dropFirst(base.utf8.count + 1)) : file
        if root == configHome, let dataHome {
            return WorkspaceLocation(
                root: root, configFile: file, shownFile: shown, dataFolder: dataHome, isFolder: false,
                home: home)
        }
        return WorkspaceLocation(
            root: root, configFile: file, shownFile: shown, dataFolder: root, isFolder: true, home: home)
    }
}

/// Paths as text, without access to the disk: symbolic links are not followed.
enum Paths {
    /// Resolves `~`, paths relative to a folder, `.` and `..`.
    static func absolute(_ path: String, below folder: String, home: String?) -> String {
        let expanded = expandingHome(path, home: home)
        return clean(expanded.hasPrefix("/") ? expanded : folder + "/" + expanded)
    }

    /// Expands `~` and `~/…`, but not the home folders of other users.
    static func expandingHome(_ path: String, home: String?) -> String {
        guard let home, path == "~" || path.hasPrefix("~/") else { return path }
        return home + path.dropFirst()
    }

    static func clean(_ path: String) -> String {
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }

    static func join(_ folder: String, _ name: String) -> String {
        folder == "/" ? "/" + name : folder + "/" + name
    }

    static func parent(_ path: String) -> String {
        let parts = path.split(separator: "/").dropLast()
        return "/" + parts.joined(separator: "/")
    }

    static func name(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? "" }
}
