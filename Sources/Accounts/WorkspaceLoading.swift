import Foundation
public import Models
import YAMLSource

extension Workspace {
    /// Reads the settings. If there is an error among the diagnostics, there is no workspace.
    public static func load(
        _ location: WorkspaceLocation
    ) -> (workspace: Workspace?, diagnostics: [Diagnostic]) {
        let text: String
        switch Disk.read(location.configFile, limit: YAMLDocument.maximumBytes) {
        case .text(let found): text = found
        case .missing:
            return (
                nil,
                [
                    Diagnostic(
                        code: "C001", file: location.shownFile,
                        message: "the file does not exist; opus demo shows an example")
                ]
            )
        case .unreadable(let reason):
            return (
                nil,
                [
                    Diagnostic(
                        code: "C001", file: location.shownFile, message: "the file cannot be read: \(reason)")
                ]
            )
        }
        return parse(text, location)
    }

    public static func parse(
        _ text: String, _ location: WorkspaceLocation
    ) -> (workspace: Workspace?, diagnostics: [Diagnostic]) {
        let (document, diagnostics) = YAMLDocument.read(file: location.shownFile, text: text)
        let redaction = SecretRedaction(text, document: document)
        guard let document else { return (nil, diagnostics.map(redaction.apply)) }
        var loader = WorkspaceLoader(location: location, reader: ConfigReader(document))
        var workspace = loader.load()
        workspace?.text = text
        let found = (diagnostics + loader.reader.diagnostics).map(redaction.apply)
            .sorted { ($0.line, $0.column) < ($1.line, $1.column) }
        return (found.contains { $0.severity == .error } ? nil : workspace, found)
    }
}

/// The top level of `opus.yaml`.
private struct WorkspaceLoader {
    let location: WorkspaceLocation
    var reader: ConfigReader

    static let keys = [
        "config-version", "me", "time-zone", "work-hours", "dates", "tasks", "rules", "store", "originals",
        "attachments", "attachment-text",
        "allow-send",
        "brakes", "send", "defer", "first-run", "command-mailboxes", "people", "screener", "bundles",
        "watch", "threads", "searches", "accounts",
    ]

    mutating func load() -> Workspace? {
        guard let root = reader.document.root else {
            let start = YAMLNode(kind: .scalar("", .plain), line: 1, column: 1)
            reader.report("C002", at: start, "the file is empty; it must begin with config-version: 1")
            return nil
        }
        refusePasswords(root)
        guard let section = reader.section(root, "opus.yaml", keys: Self.keys) else {
            return nil
        }
        checkVersion(section)
        let accounts = reader.list("accounts", in: section).map {
            AccountReader(location: location).accounts($0, &reader)
        }
        let (name, own) = me(section)
        let tasks = section.node("tasks").map { TasksReader.read($0, &reader) } ?? .init()
        return Workspace(
            root: location.root, configFile: location.configFile, name: name,
            addresses: Self.unique(own + (accounts ?? []).flatMap(\.addresses)), timeZone: timeZone(section),
            dayFirst: dayFirst(section), workday: workday(section),
            rulesFolder: folder("rules", section) ?? Paths.join(location.root, "rules"),
            tasksFolder: tasks.path.map { Paths.absolute($0, below: location.root, home: location.home) }
                ?? Paths.join(location.dataFolder, "tasks"),
            attachmentsFolder: folder("attachments", section)
                ?? Paths.join(location.dataFolder, "attachments"),
            originals: section.node("originals").map { OriginalsReader.read($0, &reader) } ?? .init(),
            fileText: section.node("attachment-text").map { FileTextReader.read($0, &reader) } ?? .init(),
            whenDone: tasks.whenDone, whenCancelled: tasks.whenCancelled,
            mostNudges: tasks.mostNudges, taskSync: tasks.sync,
            storeFolder: folder("store", section) ?? storeFolder, allowSend: allowSend(section),
            brakes: section.node("brakes").map { BrakesReader.read($0, &reader) } ?? .init(),
            send: section.node("send").map { SendReader().settings($0, &reader) } ?? SendSettings(),
            deferDefault: deferDefault(section),
            commandMailboxes: section.node("command-mailboxes").flatMap {
                CommandMailboxesReader.read($0, &reader)
            },
            people: section.node("people").map { CommandMailboxesReader.people($0, &reader) } ?? [],
            firstRunDays: firstRunDays(section),
            screener: screener(section),
            watch: watch(section),
            threads: section.node("threads").map { ThreadsReader.read($0, &reader) } ?? ThreadSettings(),
            bundles: section.node("bundles").map { BundlesReader.read($0, &reader) } ?? [],
            searches: section.node("searches").map { SearchesReader.read($0, &reader) } ?? [:],
            accounts: accounts ?? [])
    }

    /// `defer: { default: +1 week }`
    private mutating func deferDefault(_ section: ConfigReader.Section) -> String? {
        guard let node = section.node("defer"),
            let settings = reader.section(node, "defer", keys: ["default"])
        else { return nil }
        return reader.text("default", in: settings)
    }

    /// `first-run: { since: 3w }`
    private mutating func firstRunDays(_ section: ConfigReader.Section) -> Int? {
        guard let node = section.node("first-run"),
            let settings = reader.section(node, "first-run", keys: ["since"]),
            let text = reader.text("since", in: settings), let place = settings.node("since"), text != "all"
        else { return nil }
        let days = SyncReader.days(text)
        if days == nil {
            reader.report(
                "C007", at: place, "'\(text)' is not a span of time",
                suggestion: "write a number and d, w, mo or y, as in 3w, or all")
        }
        return days
    }

    /// The words of `hook` are as those of `password-command`: `~/` is the home folder, and a path of the program
    /// counts from opus.yaml.
    private mutating func watch(_ section: ConfigReader.Section) -> WatchSettings {
        guard let node = section.node("watch") else { return WatchSettings() }
        var settings = WatchReader.read(node, &reader)
        settings.hook = settings.hook.map { Paths.expandingHome($0, home: location.home) }
        if let program = settings.hook.first, program.contains("/") {
            settings.hook[0] = Paths.absolute(program, below: location.root, home: location.home)
        }
        return settings
    }

    private mutating func screener(_ section: ConfigReader.Section) -> ScreenerSettings? {
        guard let node = section.node("screener") else { return nil }
        let location = location
        return ScreenerReader.read(node, &reader) {
            Paths.absolute($0, below: location.root, home: location.home)
        }
    }

    private var storeFolder: String {
        location.isFolder ? Paths.join(location.root, ".opus") : location.dataFolder
    }

    private mutating func refusePasswords(_ root: YAMLNode) {
        for (key, _) in SecretRedaction.places(in: root) {
            reader.report(
                "R031", at: key,
                "opus.yaml must not contain passwords: choose a new one, and let password-command print it, with pass, "
                    + "secret-tool, systemd-creds or cat of a file with mode 0600",
                suggestion: "password-command: [pass, show, mail/work]")
        }
    }

    private mutating func checkVersion(_ section: ConfigReader.Section) {
        guard let node = section.node("config-version") else {
            reader.report(
                "C003", at: section.node, "opus.yaml has no 'config-version'",
                suggestion: "add config-version: 1")
            return
        }
        if node.scalar != "1" {
            reader.report(
                "C003", at: node, "this version of opus reads config-version 1",
                suggestion: "write config-version: 1")
        }
    }

    private mutating func me(_ section: ConfigReader.Section) -> (name: String, addresses: [EmailAddress]) {
        guard let node = section.node("me"), let me = reader.section(node, "me", keys: ["name", "addresses"])
        else {
            return ("", [])
        }
        let name = reader.text("name", in: me) ?? ""
        let nodes = reader.list("addresses", in: me) ?? []
        return (name, nodes.compactMap { reader.address($0) })
    }

    private static func unique(_ addresses: [EmailAddress]) -> [EmailAddress] {
        var seen: Set<String> = []
        return addresses.filter { seen.insert($0.comparable).inserted }
    }

    private mutating func timeZone(_ section: ConfigReader.Section) -> String {
        guard let text = reader.text("time-zone", in: section), let node = section.node("time-zone") else {
            return Zones.system
        }
        if !Zones.isKnown(text) {
            reader.report(
                "C008", at: node, "unknown time zone '\(text)'",
                suggestion: nearest(to: text, among: TimeZone.knownTimeZoneIdentifiers).map {
                    "did you mean '\($0)'?"
                }
                    ?? "an IANA name such as Europe/Paris")
        }
        return text
    }

    private mutating func dayFirst(_ section: ConfigReader.Section) -> Bool {
        guard let node = section.node("dates"), let dates = reader.section(node, "dates", keys: ["order"])
        else {
            return true
        }
        return reader.choice("order", in: dates, [("day-month", true), ("month-day", false)]) ?? true
    }

    private mutating func allowSend(_ section: ConfigReader.Section) -> Bool {
        reader.choice("allow-send", in: section, [("false", false), ("true", true)]) ?? false
    }

    private mutating func folder(_ key: String, _ section: ConfigReader.Section) -> String? {
        guard let node = section.node(key), let folder = reader.section(node, key, keys: ["path"]) else {
            return nil
        }
        return reader.text("path", in: folder, required: true).map {
            Paths.absolute($0, below: location.root, home: location.home)
        }
    }

    private mutating func workday(_ section: ConfigReader.Section) -> Workspace.Workday {
        guard let node = section.node("work-hours") else { return .init() }
        return WorkHours.read(node, &reader)
    }
}

/// Names of time zones.
private enum Zones {
    static func isKnown(_ name: String) -> Bool {
        guard name.utf8.count <= 64, TimeZone(identifier: name) != nil else { return false }
        // Foundation also accepts abbreviations and offsets, which have no daylight saving time.
        return name == "UTC" || name.contains("/")
    }

    static var system: String {
        if let name = ProcessInfo.processInfo.environment["TZ"].flatMap(named(by:)) { return name }
        let name = TimeZone.current.identifier
        return isKnown(name) ? name : "UTC"
    }

    /// The zone of a TZ variable with a colon, `:Europe/London` or `:/etc/localtime`, which Foundation does not read.
    private static func named(by variable: String) -> String? {
        guard variable.hasPrefix(":") else { return nil }
        let place = variable.dropFirst()
        guard place.hasPrefix("/") else { return isKnown(String(place)) ? String(place) : nil }
        let path = URL(fileURLWithPath: String(place)).resolvingSymlinksInPath().path
        let name = path.components(separatedBy: "/zoneinfo/").last ?? ""
        return isKnown(name) ? name : nil
    }
}
