public import Accounts
import Models

/// The systemd units for one workspace, as text: the watch as a service, the briefing and the run as timers.
public struct ServiceUnits: Sendable {
    public struct Unit: Hashable, Sendable {
        public var name: String
        public var text: String
    }

    /// The first line of every file: only files with this line are replaced or removed.
    public static let mark = "# Written by \"opus service install\"; \"opus service remove\" deletes it."

    private let program: String
    private let root: String
    private let writable: [String]
    /// The prefix of the names of all units: `opus`.
    private let name: String
    private let memory: String

    /// - Throws: ``Problem`` for a path or a name that systemd could misinterpret.
    public init(program: String, workspace: Workspace, name: String = "opus", memory: String = "512M") throws
    {
        guard !name.isEmpty, name.utf8.count <= 64, Self.isPlain(name, "-_.") else {
            throw Problem(
                "bad-service-name", exit: .usage, message: "\"\(name)\" cannot be the name of a service",
                next: ["letters, digits, - _ and ."])
        }
        let maildirs = workspace.accounts.compactMap { account -> String? in
            if case .maildir(let path) = account.source { return path }
            return nil
        }
        let folders =
            [
                workspace.root, workspace.storeFolder, workspace.tasksFolder, workspace.attachmentsFolder,
                workspace.rulesFolder,
            ] + maildirs
        for path in folders + [program] where path.unicodeScalars.contains(where: { $0.value < 0x20 }) {
            throw Problem(
                "bad-service-path", exit: .configuration, message: "a path has control characters",
                place: workspace.configFile)
        }
        self.program = program
        root = workspace.root
        var seen: Set<String> = []
        writable = folders.filter { path in
            let isBelow = folders.contains { $0 != path && path.hasPrefix($0 + "/") }
            return !isBelow && seen.insert(path).inserted
        }
        self.name = name
        self.memory = memory
    }

    public var watch: String { "\(name)-watch.service" }
    public var briefingTimer: String { "\(name)-briefing.timer" }
    public var runTimer: String { "\(name)-run.timer" }

    /// `briefing` and `run` are times of day, `hh:mm`.
    public func all(briefing: String, run: String) -> [Unit] {
        [
            Unit(name: watch, text: watchService),
            Unit(
                name: "\(name)-briefing.service",
                text: oneShot("opus: the briefing of \(root)", ["briefing", "--mail"])),
            Unit(name: briefingTimer, text: timer("opus: the briefing of \(root), every day", briefing)),
            Unit(
                name: "\(name)-run.service",
                text: oneShot("opus: the rules of \(root)", ["run", "--yes", "--quiet"])),
            Unit(name: runTimer, text: timer("opus: the rules of \(root), every day", run)),
        ]
    }

    /// Whether it is a time of day, `hh:mm`.
    public static func isTime(_ text: String) -> Bool {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 }), let hour = UInt(parts[0]),
            let minute = UInt(parts[1])
        else { return false }
        return hour < 24 && minute < 60
    }

    // MARK: Texts

    private var watchService: String {
        """
        \(Self.mark)
        [Unit]
        Description=\(Self.escaped("opus: watch the mail of \(root)"))
        Documentation=man:opus-watch(1)
        # systemd does not give up: without a network or a disk, a later try may work.
        StartLimitIntervalSec=0

        [Service]
        Type=notify
        NotifyAccess=main
        ExecStart=\(command(["watch"]))
        ExecReload=/bin/kill -HUP $MAINPID
        Restart=on-failure
        RestartSec=30
        # A refused login (77) or broken settings (78) need a person, not another try.
        RestartPreventExitStatus=77 78
        WatchdogSec=300
        TimeoutStopSec=15
        \(hardening)

        [Install]
        WantedBy=default.target

        """
    }

    /// The exit codes after which another try does not help. For a unit of this type, systemd accepts no list of the others.
    private static let lastingFailures = ExitStatus.allCases
        .filter { ![.done, .unavailable, .temporary].contains($0) }
        .map { String($0.rawValue) }.joined(separator: " ")

    /// Run again after a while if a server was not reachable: after the start of the machine, a timer may run before there
    /// is a network.
    private func oneShot(_ description: String, _ words: [String]) -> String {
        """
        \(Self.mark)
        [Unit]
        Description=\(Self.escaped(description))
        StartLimitIntervalSec=0

        [Service]
        Type=oneshot
        ExecStart=\(command(words))
        Restart=on-failure
        RestartSec=300
        # Only without a server or a lock (69, 75): other errors need a person.
        RestartPreventExitStatus=\(Self.lastingFailures)
        \(hardening)

        """
    }

    /// If the machine was off at that time, the timer runs afterwards.
    private func timer(_ description: String, _ time: String) -> String {
        """
        \(Self.mark)
        [Unit]
        Description=\(Self.escaped(description))

        [Timer]
        OnCalendar=*-*-* \(time):00
        Persistent=true
        RandomizedDelaySec=60

        [Install]
        WantedBy=timers.target

        """
    }

    /// Password programs may need the sockets of their agents, and GnuPG writes locks beside its keys.
    private var hardening: String {
        """
        NoNewPrivileges=yes
        ProtectSystem=strict
        ReadWritePaths=\(writable.map(quotedFolder).joined(separator: " ")) -%h/.gnupg -%t
        RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
        RestrictRealtime=yes
        RestrictSUIDSGID=yes
        LockPersonality=yes
        SystemCallArchitectures=native
        UMask=0077
        MemoryMax=\(memory)
        """
    }

    /// With "-", systemd starts the service although the folder is missing now, as before the first task.
    private func quotedFolder(_ path: String) -> String { Self.quoted(path == root ? path : "-" + path) }

    private func command(_ words: [String]) -> String {
        ([program, "--workspace", root] + words).map { Self.quoted($0).replacing("$", with: "$$") }
            .joined(separator: " ")
    }

    /// A word of a unit file: systemd.syntax(7).
    private static func quoted(_ word: String) -> String {
        if isPlain(word, "/-_.") { return word }
        return "\"" + escaped(word.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")) + "\""
    }

    private static func escaped(_ text: String) -> String { text.replacing("%", with: "%%") }

    /// Whether it consists only of letters, digits and these characters.
    private static func isPlain(_ word: String, _ others: String) -> Bool {
        word.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || others.utf8.contains(byte)
        }
    }

    // MARK: Without systemd

    /// The same as crontab lines.
    public func crontab(briefing: String) -> [String] {
        let time = briefing.split(separator: ":").map { Int($0) ?? 0 }
        let base = ([program, "--workspace", root]).map(Self.shell).joined(separator: " ")
        return [
            "@reboot \(base) watch --quiet",
            "\(time.last ?? 0) \(time.first ?? 7) * * * \(base) briefing --mail",
        ]
    }

    /// A word for a shell in a crontab, where `%` means a line break.
    private static func shell(_ word: String) -> String {
        if isPlain(word, "/-_.") { return word }
        return "'" + word.replacing("'", with: "'\\''").replacing("%", with: "\\%") + "'"
    }
}
