import Accounts
import Models
import Testing

@testable import Pipeline

/// The units that `opus service install` writes, as text; `test_service` lets systemd check them.
@Suite("ServiceUnits") struct ServiceUnitsTests {
    private func units(_ path: String = "/opt/opus/bin/opus", name: String = "opus") throws -> ServiceUnits {
        let work = try Workplace()
        // Its folder goes with it.
        let workspace = try withExtendedLifetime(work) { try work.options().loadWorkspace() }
        return try ServiceUnits(program: path, workspace: workspace, name: name)
    }

    private func text(_ units: ServiceUnits, _ name: String) throws -> String {
        try #require(units.all(briefing: "06:45", run: "08:15").first { $0.name == name }?.text)
    }

    @Test("after a refused login or wrong settings, the service manager does not restart opus")
    func restarts() throws {
        let text = try text(units(), "opus-watch.service")
        #expect(text.contains("Restart=on-failure\n"))
        #expect(text.contains("RestartPreventExitStatus=77 78\n"))
        #expect(text.contains("Type=notify\n"))
    }

    @Test("the service manager does not give up: a later try may find the network or the disk")
    func laterTries() throws {
        #expect(try text(units(), "opus-watch.service").contains("StartLimitIntervalSec=0\n"))
    }

    @Test("a folder outside the workspace that is missing now does not keep the service from starting")
    func missingFolder() throws {
        let work = try Workplace()
        let text = try withExtendedLifetime(work) {
            var workspace = try work.options().loadWorkspace()
            workspace.tasksFolder = "/my tasks"
            return try self.text(
                ServiceUnits(program: "/opt/opus", workspace: workspace), "opus-watch.service")
        }
        #expect(text.contains(" \"-/my tasks\" "))
    }

    @Test("only the folders of the workspace are writable")
    func hardened() throws {
        let text = try text(units(), "opus-watch.service")
        let writable = try #require(text.split(separator: "\n").first { $0.hasPrefix("ReadWritePaths=") })
        #expect(writable.split(separator: " ").count == 3, "the workspace, the keys and the runtime folder")
        for line in ["NoNewPrivileges=yes", "ProtectSystem=strict", "MemoryMax=512M"] {
            #expect(text.contains(line + "\n"))
        }
    }

    @Test("timers run at the chosen times, and catch up")
    func timers() throws {
        let units = try units()
        let briefing = try text(units, "opus-briefing.timer")
        #expect(briefing.contains("OnCalendar=*-*-* 06:45:00\nPersistent=true\n"))
        #expect(try text(units, "opus-run.timer").contains("OnCalendar=*-*-* 08:15:00\n"))
    }

    @Test("a briefing or a run that found no network is tried again, and other errors are not")
    func laterNetwork() throws {
        for name in ["opus-briefing.service", "opus-run.service"] {
            let text = try text(units(), name)
            #expect(text.contains("Type=oneshot\n") && text.contains("Restart=on-failure\n"))
            #expect(text.contains("StartLimitIntervalSec=0\n"))
            let lasting = try #require(
                text.split(separator: "\n").first { $0.hasPrefix("RestartPreventExitStatus=") })
            let codes = lasting.split(separator: "=")[1].split(separator: " ").compactMap { Int32($0) }
            let all = ExitStatus.allCases.map(\.rawValue).filter { $0 != 0 }
            #expect(Set(all).subtracting(codes) == [69, 75])
        }
    }

    @Test("a path with blanks, percent signs, dollars and quotes stays one argument")
    func quoting() throws {
        let text = try text(units("/opt/my \"own\" 100%$HOME\\opus"), "opus-watch.service")
        #expect(text.contains("ExecStart=\"/opt/my \\\"own\\\" 100%%$$HOME\\\\opus\" --workspace "))
        #expect(throws: Problem.self) { try units("/opt/a\nb") }
        #expect(throws: Problem.self) { try units(name: "a/b") }
    }

    @Test("without systemd, cron runs the same commands")
    func cron() throws {
        let lines = try units("/opt/my opus").crontab(briefing: "06:45")
        #expect(lines[0].hasPrefix("@reboot '/opt/my opus' --workspace "))
        #expect(lines[1].hasPrefix("45 6 * * * "))
        #expect(ServiceUnits.isTime("23:59") && !ServiceUnits.isTime("24:00") && !ServiceUnits.isTime("7:00"))
    }
}
