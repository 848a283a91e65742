import ArgumentParser
import Documents
import Foundation
import Models
import Pipeline

struct ServiceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "service",
        abstract: "Run opus watch as a service of systemd, and the briefing every day.",
        discussion: """
            The services belong to you, not to the machine, and run while you are logged in. To keep them running \
            without a login, once: loginctl enable-linger
            """,
        subcommands: [Install.self, Status.self, Logs.self, Remove.self])

    struct Names: ParsableArguments {
        @Option(
            name: .long,
            help: ArgumentHelp(
                "The prefix of the unit names, for a second workspace.", valueName: "word"))
        var name = "opus"
    }

    // MARK: install

    struct Install: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "install", abstract: "Write the units, and start the watch and the daily briefing.",
            discussion: """
                Writes NAME-watch.service, NAME-briefing.timer and NAME-run.timer to ~/.config/systemd/user. If the machine \
                was off at the time of a timer, the command runs later. Only --run starts NAME-run.timer, which applies all rules \
                without asking, within the brakes. Without systemd, prints lines for crontab.
                """)

        @OptionGroup var global: GlobalOptions
        @OptionGroup var names: Names

        @Option(name: .long, help: ArgumentHelp("When the briefing comes.", valueName: "hh:mm"))
        var briefing = "07:00"

        @Option(
            name: .customLong("run"),
            help: ArgumentHelp(
                "Also apply all rules every day at this time (opus run --yes).", valueName: "hh:mm"))
        var runTime: String?

        @Flag(name: .customLong("print"), help: "Print the units, and write and start nothing.")
        var isPreview = false

        func run() throws {
            let console = global.console()
            let workspace = try global.sessionOptions().loadWorkspace()
            let units = try ServiceUnits(program: Self.program, workspace: workspace, name: names.name)
            for time in [briefing, runTime].compactMap(\.self) { try Self.check(time) }
            let all = units.all(briefing: briefing, run: runTime ?? "07:30")
            if isPreview {
                for unit in all { console.print("# \(unit.name)\n\(unit.text)") }
                return
            }
            let manager = UserManager(global.environment)
            guard manager.isInstalled else {
                let lines = units.crontab(briefing: briefing)
                if console.isJSON {
                    return try console.print(
                        json: ServiceDocument(folder: manager.folder, units: [], crontab: lines))
                }
                console.note("This machine has no systemd. Lines for crontab -e:")
                for line in lines { console.print(line) }
                return
            }
            try manager.write(all)
            for unit in all { console.note("wrote \(manager.folder)/\(unit.name)") }
            let started = [units.watch, units.briefingTimer] + (runTime == nil ? [] : [units.runTimer])
            guard manager.run(["daemon-reload"]) == 0, manager.run(["enable", "--now"] + started) == 0 else {
                throw Problem(
                    "no-user-manager", exit: .unavailable,
                    message: "the units are written, but systemd did not start them",
                    next: [
                        "systemctl --user daemon-reload",
                        "systemctl --user enable --now " + started.joined(separator: " "),
                    ])
            }
            if console.isJSON {
                return try console.print(
                    json: ServiceDocument(
                        folder: manager.folder, units: manager.states(all.map(\.name)), started: started))
            }
            console.print("Started \(started.joined(separator: ", "))")
        }

        private static func check(_ time: String) throws {
            guard ServiceUnits.isTime(time) else {
                throw Problem(
                    "bad-time", exit: .usage, message: "\"\(time)\" is not a time of day",
                    next: ["hours and minutes, such as 07:00"])
            }
        }

        private static var program: String {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "opus"
        }
    }

    // MARK: Others

    struct Status: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Show the state of the units, as systemd reports it.")

        @OptionGroup var global: GlobalOptions
        @OptionGroup var names: Names

        func run() throws {
            let manager = try UserManager(global.environment).required()
            let units = ["watch.service", "briefing.timer", "run.timer"].map { "\(names.name)-\($0)" }
            let console = global.console()
            if console.isJSON {
                let states = manager.states(units)
                try console.print(json: ServiceDocument(folder: manager.folder, units: states))
                if states.allSatisfy({ $0.file == nil }) { throw Outcome(status: .notFound) }
                return
            }
            let code = manager.run(["--no-pager", "status"] + units, isShown: true)
            // 3: a unit is not running, which is an answer.
            if code != 0, code != 3 { throw Outcome(status: .notFound) }
        }
    }

    struct Logs: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "logs", abstract: "Show the log of the watch.")

        @OptionGroup var global: GlobalOptions
        @OptionGroup var names: Names

        @Flag(name: .long, help: "Print new lines as they appear.")
        var follow = false

        @Option(name: .long, help: ArgumentHelp("At most this many lines.", valueName: "number"))
        var lines = 50

        func run() throws {
            let manager = try UserManager(global.environment).required()
            let unit = "\(names.name)-watch.service"
            let words =
                ["--user", "--unit", unit, "--lines", "\(max(0, lines))", "--no-pager"]
                + (follow ? ["--follow"] : [])
            let console = global.console()
            if console.isJSON {
                let code = manager.lines(of: "journalctl", words + ["--output", "json"]) { line in
                    if let entry = Self.entry(line) { try? console.print(jsonLine: entry) }
                }
                guard code == 0 else { throw Outcome(status: .unavailable) }
                return
            }
            guard manager.run("journalctl", words, isShown: true) == 0 else {
                throw Outcome(status: .unavailable)
            }
        }

        /// A line of `journalctl --output json`; nil: it has no text. A text that is not UTF-8 is a list of its bytes there.
        private static func entry(_ line: [UInt8]) -> ServiceLogDocument? {
            guard let fields = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any] else {
                return nil
            }
            let bytes = (fields["MESSAGE"] as? [NSNumber])?.map(\.uint8Value)
            guard
                let message = fields["MESSAGE"] as? String
                    ?? bytes.map({ String(decoding: $0, as: UTF8.self) })
            else { return nil }
            let time = (fields["__REALTIME_TIMESTAMP"] as? String).flatMap(Int64.init)
            let priority = (fields["PRIORITY"] as? String).flatMap(Int.init)
            return ServiceLogDocument(
                time: time.map { Timestamp(seconds: $0 / 1_000_000) }, priority: priority ?? 6,
                message: message)
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Stop and delete the units.")

        @OptionGroup var global: GlobalOptions
        @OptionGroup var names: Names

        func run() throws {
            let console = global.console()
            let manager = try UserManager(global.environment).required()
            let found = manager.own(beginning: names.name + "-")
            guard !found.isEmpty else {
                throw Problem(
                    "no-service", exit: .notFound, message: "no units of opus are installed",
                    place: manager.folder, next: ["opus service install"])
            }
            let started = found.filter { $0.hasSuffix(".timer") || $0.hasSuffix("-watch.service") }
            _ = manager.run(["disable", "--now"] + started)
            for unit in found { try FileManager.default.removeItem(atPath: manager.folder + "/" + unit) }
            _ = manager.run(["daemon-reload"])
            if console.isJSON {
                return try console.print(
                    json: ServiceDocument(folder: manager.folder, units: [], removed: found))
            }
            console.print("Removed \(found.joined(separator: ", "))")
        }
    }
}

/// The user's own service manager: its folder of units, and `systemctl --user`.
struct UserManager {
    let folder: String
    private let path: [String]

    init(_ environment: [String: String]) {
        let home = environment["HOME"] ?? NSHomeDirectory()
        let configuration = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        folder = (configuration ?? home + "/.config") + "/systemd/user"
        path = (environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":").map(String.init)
    }

    var isInstalled: Bool { file("systemctl") != nil }

    func required() throws -> UserManager {
        guard isInstalled else {
            throw Problem(
                "no-systemd", exit: .unavailable, message: "this machine has no systemd",
                next: ["opus service install prints lines for crontab"])
        }
        return self
    }

    private func file(_ program: String) -> String? {
        path.map { "\($0)/\(program)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Replaces only files that opus wrote.
    func write(_ units: [ServiceUnits.Unit]) throws {
        for unit in units {
            let file = folder + "/" + unit.name
            if FileManager.default.fileExists(atPath: file), !isOwn(unit.name) {
                throw Problem(
                    "foreign-unit", exit: .cannotCreate,
                    message: "opus did not write this unit, so it leaves it alone", place: file,
                    next: ["opus service install --name WORD"])
            }
        }
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for unit in units {
                try Data(unit.text.utf8).write(
                    to: URL(filePath: folder + "/" + unit.name), options: .atomic)
            }
        } catch {
            throw Problem(
                "cannot-write", exit: .cannotCreate,
                message: "the units cannot be written: \(error.localizedDescription)",
                place: folder)
        }
    }

    private func isOwn(_ name: String) -> Bool {
        let data = FileManager.default.contents(atPath: folder + "/" + name)
        return data.map { String(decoding: $0, as: UTF8.self) }?.hasPrefix(ServiceUnits.mark) ?? false
    }

    /// The units that opus wrote, by name.
    func own(beginning prefix: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { name in
            let rest = name.dropFirst(prefix.count)
            let isOurs = ["watch.service", "briefing.service", "briefing.timer", "run.service", "run.timer"]
                .contains(String(rest))
            return name.hasPrefix(prefix) && isOurs && isOwn(name)
        }.sorted()
    }

    /// What systemd reports about these units.
    func states(_ units: [String]) -> [ServiceDocument.Unit] {
        let properties = [
            "Id", "LoadState", "FragmentPath", "ActiveState", "SubState", "UnitFileState", "Result",
            "ExecMainCode", "ExecMainStatus", "StatusText", "MainPID", "NRestarts",
            "StateChangeTimestamp", "NextElapseUSecRealtime",
        ]
        return units.map { name in
            var fields: [String: String] = [:]
            let words = [
                "--user", "show", "--timestamp=unix", "--property", properties.joined(separator: ","), name,
            ]
            let code = lines(of: "systemctl", words) { line in
                let parts = String(decoding: line, as: UTF8.self).split(
                    separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                if parts.count == 2, !parts[1].isEmpty { fields[String(parts[0])] = String(parts[1]) }
            }
            var unit = ServiceDocument.Unit(name: name)
            let file = folder + "/" + name
            unit.file = FileManager.default.fileExists(atPath: file) ? file : fields["FragmentPath"]
            guard code == 0 else { return unit }
            let isThere = fields["LoadState"] == "loaded"
            unit.state = fields["ActiveState"]
            unit.substate = fields["SubState"]
            unit.starts = fields["UnitFileState"]
            unit.result = isThere ? fields["Result"] : nil
            unit.says = fields["StatusText"]
            unit.process = fields["MainPID"].flatMap(Int.init).flatMap { $0 > 0 ? $0 : nil }
            unit.restarts = fields["NRestarts"].flatMap(Int.init)
            // 1: it has exited; 0: it has not run.
            unit.exitCode = fields["ExecMainCode"] == "1" ? fields["ExecMainStatus"].flatMap(Int.init) : nil
            unit.since = Self.time(fields["StateChangeTimestamp"])
            unit.next = Self.time(fields["NextElapseUSecRealtime"])
            return unit
        }
    }

    /// A time as `@1770000000`.
    private static func time(_ text: String?) -> Timestamp? {
        guard let text, text.hasPrefix("@"), let seconds = Int64(text.dropFirst()) else { return nil }
        return Timestamp(seconds: seconds)
    }

    /// Runs a program and passes on each line that it prints, as it comes. Returns its exit code.
    func lines(of program: String, _ words: [String], _ tell: ([UInt8]) -> Void) -> Int32 {
        guard let file = file(program) else { return 127 }
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(filePath: file)
        process.arguments = words
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return 126 }
        var rest: [UInt8] = []
        while case let data = pipe.fileHandleForReading.availableData, !data.isEmpty {
            rest += data
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                tell(Array(rest[..<end]))
                rest.removeFirst(end + 1)
            }
        }
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Returns the exit code of `systemctl --user`.
    func run(_ words: [String], isShown: Bool = false) -> Int32 {
        run("systemctl", ["--user"] + words, isShown: isShown)
    }

    func run(_ program: String, _ words: [String], isShown: Bool) -> Int32 {
        guard let file = file(program) else { return 127 }
        let process = Process()
        process.executableURL = URL(filePath: file)
        process.arguments = words
        process.standardInput = FileHandle.nullDevice
        if !isShown {
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
        }
        guard (try? process.run()) != nil else { return 126 }
        process.waitUntilExit()
        return process.terminationStatus
    }
}
