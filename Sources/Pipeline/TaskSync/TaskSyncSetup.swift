import Accounts
import Files
import Foundation
import Glibc
import Models

/// Sets up the sync of the task folder with a calendar server: writes the configuration of a sync program,
/// runs its discovery and the first sync, and adds the program to opus.yaml. Never replaces a file that the
/// user wrote or changed.
public struct TaskSyncSetup: Sendable {
    /// What to do with a task that changed on both sides since the last sync.
    public enum Conflict: String, CaseIterable, Sendable {
        /// Both versions stay as they are, and every sync reports it until the user resolves it.
        case keep
        /// This machine's version is kept.
        case here
        /// The server's version is kept.
        case server
    }

    public struct Wish: Sendable {
        public var service: TaskSyncService
        public var program = SyncProgram.vdirsyncer
        public var url: String?
        public var user: String?
        /// A command line, which is not run by a shell.
        public var passwordCommand: String?
        public var conflict = Conflict.keep
        public var caFile: String?
        public var file: String?

        public init(service: TaskSyncService) { self.service = service }
    }

    /// The result of the setup.
    public struct Report: Sendable {
        public var service: TaskSyncService
        public var program: SyncProgram
        public var file: String
        public var url: String
        public var lists: [String]
        public var conflict: Conflict
        /// The number of local tasks before and after the first sync.
        public var before: Int
        public var after: Int
        /// The value of `tasks.sync-command`.
        public var command: [String]
        /// The existing other value of `tasks.sync-command`, which is kept; nil: the key has the new command.
        public var otherCommand: [String]?
    }

    let options: SessionOptions
    let workspace: Workspace
    let clock: SessionClock

    public init(_ options: SessionOptions) throws {
        self.options = options
        workspace = try options.loadWorkspace()
        clock = SessionClock(fixed: options.now)
    }

    // MARK: Configuration

    /// The text of the configuration, and the path of its file.
    public func configuration(_ wish: Wish) throws -> (text: String, file: String) {
        let text = try program(wish)
        return (text.text, file(wish))
    }

    private func file(_ wish: Wish) -> String {
        guard let file = wish.file else { return "\(workspace.root)/\(wish.program.rawValue).conf" }
        return absolute(file)
    }

    private func absolute(_ path: String) -> String {
        let home = options.environment["HOME"] ?? ""
        if path.hasPrefix("~/") { return home + path.dropFirst() }
        return path.hasPrefix("/") ? path : options.currentDirectory + "/" + path
    }

    private func program(_ wish: Wish) throws -> SyncProgramText {
        let url = try wish.service.address(wish.url)
        guard let user = wish.user ?? ownAddress(wish.service) else {
            throw Problem(
                "no-user", exit: .usage, message: "the user name at \(wish.service.title) is missing",
                next: ["opus tasks sync-setup \(wish.service.name) --user NAME"])
        }
        let command = ImportedAccount.command(wish.passwordCommand ?? "")
        guard !command.isEmpty else {
            throw Problem(
                "no-password-command", exit: .usage,
                message: "the command that prints the password at \(wish.service.title) is missing",
                details: wish.service.page.map { ["it requires " + $0] } ?? [],
                next: ["--password-command 'pass show caldav'"])
        }
        if wish.caFile != nil, wish.program == .pimsync {
            throw Problem(
                "no-ca-file", exit: .usage,
                message: "pimsync trusts only the certificates of the system",
                next: ["--with vdirsyncer"])
        }
        for text in [user] + command
        where text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            throw Problem(
                "bad-text", exit: .usage,
                message: "the user name and the command cannot have control characters")
        }
        return SyncProgramText(
            program: wish.program, url: url, user: user, passwordCommand: absoluteFiles(command),
            caFile: wish.caFile.map(absolute), conflict: wish.conflict, lists: lists,
            tasksFolder: workspace.tasksFolder, statusFolder: statusFolder(wish))
    }

    /// What the program remembers of both sides. Another configuration (`--config`) has its own memory.
    private func statusFolder(_ wish: Wish) -> String {
        let usual = "\(workspace.storeFolder)/\(wish.program.rawValue)"
        let file = file(wish)
        guard file != "\(workspace.root)/\(wish.program.rawValue).conf" else { return usual }
        let known = FileManager.default.contents(atPath: file).map { String(decoding: $0, as: UTF8.self) }
        guard known?.contains("\"\(usual)/\"") != true else { return usual }
        return usual + "-" + SyncProgramText.hash(file).prefix(8)
    }

    /// The user's address at this service.
    private func ownAddress(_ service: TaskSyncService) -> String? {
        let own = workspace.accounts.map(\.address).filter {
            service.domains.contains($0.domain.lowercased())
        }
        return own.count == 1 ? own.first?.addrSpec : nil
    }

    /// The user may start the program in any folder, so files of the workspace get absolute paths.
    private func absoluteFiles(_ command: [String]) -> [String] {
        command.enumerated().map { number, word in
            let path = workspace.root + "/" + word
            let isFile = number > 0 && !word.isEmpty && !word.hasPrefix("/") && !word.hasPrefix("-")
            return isFile && FileManager.default.fileExists(atPath: path) ? path : word
        }
    }

    /// The GTD lists and the user's own lists.
    private var lists: [String] {
        let known: [GTDList] = [.inbox, .next, .waiting, .scheduled, .someday, .reference]
        let names = (try? FileManager.default.contentsOfDirectory(atPath: workspace.tasksFolder)) ?? []
        let own = names.filter { name in
            var isFolder = ObjCBool(false)
            return GTDList.isValid(name) && !known.contains(GTDList(name))
                && FileManager.default.fileExists(
                    atPath: workspace.tasksFolder + "/" + name, isDirectory: &isFolder)
                && isFolder.boolValue
        }
        return known.map(\.rawValue) + own.sorted()
    }

    // MARK: Setup

    /// Calls `progress` with a text for users at the start of each part.
    public func run(_ wish: Wish, progress: (String) -> Void) async throws -> Report {
        let text = try program(wish)
        let file = file(wish)
        guard ProgramRun.path(of: wish.program.rawValue, options.environment) != nil else {
            throw Problem(
                "no-sync-program", exit: .unavailable, message: "\(wish.program.rawValue) is not installed",
                next: [
                    wish.program == .vdirsyncer
                        ? "sudo apt install vdirsyncer" : "install pimsync (https://pimsync.whynothugo.nl)"
                ])
        }
        try Problem.wrap { try workspace.makeStoreFolder() }
        try makeLists(text.lists)
        // A sync after a command may be running.
        guard let lock = try await TaskSyncing.turn(in: workspace.storeFolder, longest: .seconds(120)) else {
            throw Problem(
                "tasks-sync", exit: .temporary, message: "another sync of the tasks does not end",
                next: ["the same command again"])
        }
        defer { withExtendedLifetime(lock) {} }
        let last = TaskSyncState.read(workspace.storeFolder)
        let before = TaskFolderLook(workspace.tasksFolder).total
        let earlier = try EarlierSetup(text, file: file)
        let missing = last.total - before
        if !earlier.isOtherPlace, missing > TaskFolderLook.brake(last.total) {
            throw Problem(
                "tasks-sync", exit: .temporary,
                message:
                    "\(missing) of \(last.total) task files are missing since the last sync; nothing was synced",
                next: ["opus tasks sync --allow-mass-delete (if you deleted them)"])
        }
        let command = [wish.program.rawValue, "-c", file, "sync"]
        do {
            try write(text.text, to: file)
            for step in Self.steps(wish.program) {
                progress(step.words)
                try await play(step, wish, file, earlier)
            }
        } catch {
            earlier.bringBack()
            throw error
        }
        earlier.forget()
        var state = TaskSyncState()
        let look = TaskFolderLook(workspace.tasksFolder)
        state.syncedAt = clock.now
        state.lists = look.lists
        state.write(workspace.storeFolder)
        let other = try enter(command)
        return Report(
            service: wish.service, program: wish.program, file: file, url: text.url, lists: text.lists,
            conflict: wish.conflict, before: before, after: look.total, command: command, otherCommand: other)
    }

    private func makeLists(_ lists: [String]) throws {
        do {
            for list in lists {
                try FileManager.default.createDirectory(
                    atPath: workspace.tasksFolder + "/" + list, withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700])
            }
        } catch {
            throw Problem(
                "cannot-write", exit: .cannotCreate, message: "the task folder cannot be made",
                place: workspace.tasksFolder)
        }
    }

    private func write(_ text: String, to file: String) throws {
        do throws(FileFailure) {
            guard let data = FileManager.default.contents(atPath: file) else {
                try NewFile.write(Array(text.utf8), to: file)
                return
            }
            let old = String(decoding: data, as: UTF8.self)
            guard old != text else { return }
            guard SyncProgramText.isOwn(old) else {
                throw FileFailure(number: EEXIST)
            }
            try ReplacedFile.write(Array(text.utf8), to: file, through: file + ".new")
        } catch {
            guard error.number != EEXIST else {
                throw Problem(
                    "file-exists", exit: .cannotCreate,
                    message: "opus does not replace \(file), because you wrote or changed it",
                    next: ["--config FILE writes another one", "--print shows what opus would write"])
            }
            throw Problem(
                "cannot-write", exit: .cannotCreate,
                message: "\(file) cannot be written: \(String(cString: strerror(error.number)))",
                next: ["--config FILE"])
        }
    }

    private struct Step {
        var words: String
        var arguments: [String]
    }

    private static func steps(_ program: SyncProgram) -> [Step] {
        switch program {
        case .vdirsyncer:
            [
                Step(words: "looking for the lists on the server", arguments: ["discover", "tasks"]),
                Step(words: "first sync", arguments: ["sync"]),
            ]
        case .pimsync:
            [
                Step(words: "checking the configuration", arguments: ["check"]),
                Step(words: "first sync", arguments: ["sync"]),
            ]
        }
    }

    private func play(
        _ step: Step, _ wish: Wish, _ file: String, _ earlier: EarlierSetup
    ) async throws {
        // vdirsyncer asks whether to create each list.
        let run = ProgramRun(
            words: [wish.program.rawValue, "-c", file] + step.arguments, folder: workspace.root,
            environment: options.environment, input: String(repeating: "y\n", count: 200),
            limit: .seconds(300))
        var result = await run.run()
        if case .ended(let status, let output) = result, status != 0 {
            let emptied = SyncProgram.emptied(output)
            // A list that the server lost gets its tasks again. A list whose last task went to another one stays empty.
            let lost = emptied.filter { $0.isThere && holdsOnlyHere($0.list) }
            earlier.forgetLists(lost)
            let rest = emptied.filter { !lost.contains($0) }.map(\.pair)
            var forced = run
            forced.words += rest.isEmpty ? [] : ["--force-delete"] + rest
            if !emptied.isEmpty { result = await forced.run() }
            if !rest.isEmpty, case .ended(0, _) = result { result = await run.run() }
        }
        try Task.checkCancellation()
        guard case .ended(let status, let output) = result else {
            throw Problem(
                "tasks-sync", exit: .temporary,
                message: "\(wish.program.rawValue) did not end within \(run.limit.components.seconds) s",
                next: ["the same command again"])
        }
        guard status != 0 else { return }
        let reason = SyncProgram.reason(output, status: status)
        let isRefused = reason.contains("refused the login")
        throw Problem(
            isRefused ? "login-refused" : "tasks-sync", exit: isRefused ? .loginRefused : .unavailable,
            message: isRefused ? reason : "\(step.words): \(reason)", place: wish.service.title,
            details: isRefused ? wish.service.page.map { ["it requires " + $0] } ?? [] : [],
            next: [
                isRefused
                    ? "check --user and what --password-command prints, then the same command again"
                    : SyncProgram.next(after: output)
                        ?? "check --url and the network, then the same command again"
            ])
    }

    /// Whether the list has a task here that no other list has.
    private func holdsOnlyHere(_ list: String) -> Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: workspace.tasksFolder)) ?? []
        let elsewhere = names.filter { $0 != list }.reduce(into: Set<String>()) { $0.formUnion(ids($1)) }
        return !ids(list).isSubset(of: elsewhere)
    }

    /// The UIDs of the tasks in a list.
    private func ids(_ list: String) -> Set<String> {
        let folder = workspace.tasksFolder + "/" + list
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let lines = names.filter { $0.hasSuffix(".ics") }.flatMap { name in
            String(
                decoding: FileManager.default.contents(atPath: folder + "/" + name) ?? Data(), as: UTF8.self
            )
            .split(whereSeparator: \.isNewline)
        }
        return Set(lines.filter { $0.hasPrefix("UID:") }.map(String.init))
    }

    /// Whether the command is that of an earlier setup whose file is gone, such as that of a workspace that was moved.
    private func isOfMovedFile(_ known: [String], _ command: [String]) -> Bool {
        guard known.count == command.count, known.count == 4, known[0] == command[0], known[1] == "-c",
            known[3] == command[3], known[2].hasPrefix("/")
        else { return false }
        return !FileManager.default.fileExists(atPath: known[2])
    }

    /// - Returns: The existing command in opus.yaml; nil: the new command was written.
    private func enter(_ command: [String]) throws -> [String]? {
        if let known = workspace.taskSync?.command, !isOfMovedFile(known, command) {
            return known == command ? nil : known
        }
        let words = command.map { AccountText.quoted($0) }.joined(separator: ", ")
        _ = try ConfigTool(options).set("tasks.sync-command", to: "[\(words)]")
        return nil
    }
}
