import Accounts
import Foundation
import Models
import TestSupport
import Testing

@testable import Pipeline

/// `opus tasks sync-setup`: what the user types, which files opus writes, and what a failed attempt leaves.
@Suite("Setup of the task sync", .timeLimit(.minutes(2)))
struct TaskSyncSetupTests {
    private let work: Workplace

    init() throws { work = try Workplace() }

    private var options: SessionOptions { options(path: ":/usr/bin:/bin") }

    private func options(path: String) -> SessionOptions {
        var options = work.options()
        options.environment = ["PATH": work.root + "/bin" + path, "HOME": work.root + "/home"]
        return options
    }

    /// Installs a sync program that reads its input and notes its arguments. A shell writes it: a file that this process
    /// has just written cannot always be executed while other threads start programs.
    private func install(_ program: SyncProgram = .vdirsyncer, _ shell: String = "exit 0") async throws {
        try FileManager.default.createDirectory(
            atPath: work.root + "/bin", withIntermediateDirectories: true)
        let path = work.root + "/bin/" + program.rawValue
        let run = ProgramRun(
            words: ["sh", "-c", "cat > '\(path)' && chmod +x '\(path)'"], folder: work.root,
            environment: ["PATH": "/usr/bin:/bin"],
            input: "#!/bin/sh\ncat > '\(work.root)/typed'\necho \"$@\" >> '\(work.root)/calls'\n\(shell)\n",
            limit: .seconds(30))
        guard case .ended(0, _) = await run.run() else {
            Issue.record("the program cannot be installed")
            return
        }
    }

    private var calls: [String] {
        ((try? work.read("calls")) ?? "").split(separator: "\n").map(String.init)
    }

    private func wish(
        _ service: String = "radicale", _ change: (inout TaskSyncSetup.Wish) -> Void = { _ in }
    ) throws -> TaskSyncSetup.Wish {
        var wish = TaskSyncSetup.Wish(service: try TaskSyncService.named(service))
        wish.url = wish.service.url?.hasPrefix("HOST") == true ? "https://dav.acme.example" : nil
        wish.user = "ana"
        wish.passwordCommand = "pass show caldav"
        change(&wish)
        return wish
    }

    private func setUp(_ wish: TaskSyncSetup.Wish) async throws -> TaskSyncSetup.Report {
        try await TaskSyncSetup(options).run(wish) { _ in }
    }

    private func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: work.root + "/" + path)
    }

    @Test(
        "the setup writes the program's settings, makes the first sync, and enters the command in opus.yaml")
    func wholeSetup() async throws {
        try await install()
        try work.writeTask("one", "One")
        try work.writeTask("two", "Two", list: "errands")
        let steps = Locked<[String]>([])
        let report = try await TaskSyncSetup(options).run(wish()) { step in steps.change { $0.append(step) } }
        let file = work.root + "/vdirsyncer.conf"
        #expect(calls == ["-c \(file) discover tasks", "-c \(file) sync"])
        #expect(steps.value == ["looking for the lists on the server", "first sync"])
        #expect(try work.read("typed").hasPrefix("y\ny\n"), "vdirsyncer asks before it makes a list")
        #expect(report.lists == ["inbox", "next", "waiting", "scheduled", "someday", "reference", "errands"])
        #expect(report.before == 2 && report.after == 2 && report.otherCommand == nil)
        let settings = try options.loadWorkspace()
        #expect(
            settings.taskSync?.command == report.command
                && report.command == ["vdirsyncer", "-c", file, "sync"])
        #expect(exists("tasks/scheduled"), "each list has a folder")
        #expect(TaskSyncState.read(settings.storeFolder).syncedAt == Workplace.tuesday)
        #expect(SyncProgramText.isOwn(try work.read("vdirsyncer.conf")))
    }

    @Test("a second setup renews a file that opus wrote, and keeps one that the user changed")
    func ownFile() async throws {
        try await install()
        _ = try await setUp(wish())
        _ = try await setUp(wish { $0.conflict = .here })
        let renewed = try work.read("vdirsyncer.conf")
        #expect(renewed.contains("conflict_resolution = \"a wins\""))
        try work.write(renewed + "# mine\n", to: "vdirsyncer.conf")
        let before = calls.count
        let problem = await #expect(throws: Problem.self) { _ = try await setUp(wish()) }
        #expect(problem?.code == "file-exists" && calls.count == before)
        #expect(try work.read("vdirsyncer.conf") == renewed + "# mine\n")
    }

    @Test("a refused login says what the service requires, and leaves neither a file nor a setting")
    func refused() async throws {
        try await install(.vdirsyncer, "echo 'error: 401 Unauthorized'; exit 1")
        let settings = try work.read("opus.yaml")
        let problem = await #expect(throws: Problem.self) { _ = try await setUp(wish("nextcloud")) }
        #expect(problem?.code == "login-refused" && problem?.exit == .loginRefused)
        #expect(problem?.details.first?.contains("app password") == true)
        #expect(!exists("vdirsyncer.conf") && calls.count == 1)
        #expect(try work.read("opus.yaml") == settings)
    }

    @Test("a server that cannot be reached is named with the step that failed")
    func unreachable() async throws {
        try await install(
            .vdirsyncer, "case \"$*\" in *discover*) exit 0;; esac; echo 'error: no route'; exit 1")
        let problem = await #expect(throws: Problem.self) { _ = try await setUp(wish()) }
        #expect(problem?.message == "first sync: no route" && problem?.exit == .unavailable)
        #expect(!exists("vdirsyncer.conf"))
    }

    @Test("a sync command of the user stays in opus.yaml, and the report names it")
    func otherCommand() async throws {
        try work.configure("tasks: { sync-command: [my-sync, now] }")
        try await install()
        #expect(try await setUp(wish()).otherCommand == ["my-sync", "now"])
        #expect(try options.loadWorkspace().taskSync?.command == ["my-sync", "now"])
    }

    @Test("pimsync checks its settings before the first sync")
    func pimsync() async throws {
        try await install(.pimsync)
        let report = try await setUp(
            wish { wish in
                wish.program = .pimsync
                wish.conflict = .server
                wish.user = #"a"n\a"#
            })
        #expect(calls == ["-c \(report.file) check", "-c \(report.file) sync"])
        let text = try work.read("pimsync.conf")
        #expect(text.contains(#"username "a\"n\\a""#) && text.contains("conflict_resolution keep b"))
        #expect(text.contains("\tcollection \"scheduled\"\n") && text.contains("\ton_empty skip\n"))
    }

    @Test("what is missing is named before anything is written")
    func missing() async throws {
        // The machine may have the programs.
        let setup = try TaskSyncSetup(options(path: ""))
        let code: (TaskSyncSetup.Wish) async throws -> String? = { wish in
            do {
                _ = try await setup.run(wish) { _ in }
                return nil
            } catch let problem as Problem {
                return problem.code
            }
        }
        #expect(try await code(wish()) == "no-sync-program")
        #expect(try await code(wish { $0.user = nil }) == "no-user")
        #expect(try await code(wish { $0.passwordCommand = " " }) == "no-password-command")
        #expect(try await code(wish { $0.user = "ana\ninjected" }) == "bad-text")
        #expect(
            try await code(
                wish { wish in
                    wish.program = .pimsync
                    wish.caFile = "ca.pem"
                }) == "no-ca-file")
        #expect(!exists("vdirsyncer.conf") && !exists("tasks"))
    }

    @Test(
        "the user's only address at the service is the user name, and files of the workspace get whole paths")
    func completed() throws {
        try work.configure("  - { name: fast, address: ana@Fastmail.com, maildir: Fast }")
        try work.write("secret", to: "caldav.password")
        let setup = try TaskSyncSetup(options)
        let (text, file) = try setup.configuration(
            wish("fastmail") { wish in
                wish.user = nil
                wish.passwordCommand = "cat caldav.password"
                wish.caFile = "~/ca.pem"
                wish.file = "~/v.conf"
            })
        #expect(text.contains(#"username = "ana@fastmail.com""#))
        #expect(text.contains(#"["command","cat","\#(work.root)/caldav.password"]"#))
        #expect(text.contains(#"verify = "\#(work.root)/home/ca.pem""#))
        #expect(file == work.root + "/home/v.conf" && !exists("home/v.conf"), "a print writes nothing")
        let shell = try setup.configuration(wish { $0.passwordCommand = "pass show x | head -1" }).text
        #expect(shell.contains(#"["command","sh","-c","pass show x | head -1"]"#))
    }
}

@Suite("Calendar services")
struct TaskSyncServiceTests {
    private func address(_ service: String, _ typed: String?) throws -> String {
        try TaskSyncService.named(service).address(typed)
    }

    @Test(
        "the address of a server is completed with the path of its program",
        arguments: [
            ("nextcloud", "cloud.acme.example", "https://cloud.acme.example/remote.php/dav/"),
            ("nextcloud", "https://acme.example/cloud", "https://acme.example/cloud/"),
            ("Radicale", "http://localhost:5232", "http://localhost:5232/"),
            ("sogo", "https://mail.acme.example/", "https://mail.acme.example/SOGo/dav/"),
            ("caldav", "https://acme.example", "https://acme.example/"),
            ("posteo", nil, "https://posteo.de:8443/"),
        ] as [(String, String?, String)])
    func addresses(_ service: String, _ typed: String?, _ whole: String) throws {
        #expect(try address(service, typed) == whole)
    }

    @Test(
        "an address that is missing, deceptive or not encrypted is refused",
        arguments: [
            ("radicale", nil, "no-url"), ("caldav", nil, "no-url"),
            ("radicale", "http://dav.acme.example", "not-encrypted"),
            ("radicale", "http://localhost.acme.example", "not-encrypted"),
            ("radicale", "https://ana:secret@acme.example", "bad-url"),
            ("radicale", "ftp://acme.example", "bad-url"), ("radicale", "https://", "bad-url"),
            ("radicale", "https://acme.example/?x=1", "bad-url"),
            ("radicale", "https://acme.example/\u{1B}[2J", "bad-url"),
            ("radicale", "acme.example\npassword = x", "bad-url"),
        ] as [(String, String?, String)])
    func refused(_ service: String, _ typed: String?, _ code: String) {
        let problem = #expect(throws: Problem.self) { try address(service, typed) }
        #expect(problem?.code == code)
    }

    @Test("a service without tasks says why, and an unknown one names the others")
    func unusable() {
        let google = #expect(throws: Problem.self) { try TaskSyncService.named("google") }
        #expect(google?.code == "no-tasks-there" && google?.message.contains("no tasks") == true)
        let unknown = #expect(throws: Problem.self) { try TaskSyncService.named("teapot") }
        #expect(unknown?.next.first?.contains("nextcloud") == true)
        #expect(unknown?.next.first?.contains("google") == false)
    }
}
