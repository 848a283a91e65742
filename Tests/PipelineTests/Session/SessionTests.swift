import Foundation
import Models
import Testing

@testable import Pipeline

/// What one command holds: its workspace, checked, and the lock for as long as it changes anything.
@Suite("Session")
struct SessionTests {
    private func refusal(_ options: SessionOptions, _ access: Session.Access = .reading) -> String {
        TriageTests.refusal { try Session.open(options, access).close() }
    }

    @Test("only one command at a time changes a workspace, and others can read it")
    func access() async throws {
        let work = try Workplace()
        try await work.with { session in
            #expect(refusal(work.options(), .changing) == "locked 75")
            let reader = try Session.open(work.options(), .reading)
            #expect(try reader.tasks.files().files.isEmpty)
            reader.close()
        }
        #expect(refusal(work.options(), .changing) == "no refusal")
    }

    @Test("a command that fails releases the workspace")
    func failing() async throws {
        let work = try Workplace()
        await #expect(throws: CocoaError.self) {
            try await work.with { _ in throw CocoaError(.userCancelled) }
        }
        #expect(refusal(work.options(), .changing) == "no refusal")
    }

    @Test("the workspace is found in a parent folder up to the home folder, and none is created")
    func noWorkspace() throws {
        let work = try Workplace()
        let below = work.root + "/Maildir/cur"
        var options = work.options()
        (options.workspace, options.currentDirectory) = (nil, below)
        #expect(refusal(options) == "no refusal")
        options.environment = ["HOME": below]
        #expect(refusal(options) == "no-workspace 78")
        #expect(try FileManager.default.contentsOfDirectory(atPath: below).isEmpty)
    }

    @Test("settings with errors are reported before the store is created or locked")
    func badSettings() throws {
        let work = try Workplace()
        try work.configure("time-zone: Mars/Olympus")
        let failure = #expect(throws: DiagnosticFailure.self) {
            _ = try Session.open(work.options(), .changing)
        }
        #expect(failure?.exit == .configuration && failure?.diagnostics.isEmpty == false)
        #expect(!FileManager.default.fileExists(atPath: work.root + "/.opus"))
    }

    @Test("settings that others can write are refused, and no store is created")
    func untrusted() throws {
        for path in ["/opus.yaml", ""] {
            let work = try Workplace()
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o777], ofItemAtPath: work.root + path)
            #expect(refusal(work.options(), .changing) == "untrusted-workspace 78", "\(path)")
            #expect(!FileManager.default.fileExists(atPath: work.root + "/.opus"))
        }
    }

    @Test("only the user can read the store")
    func rights() async throws {
        let work = try Workplace()
        try await work.with { _ in }
        for name in [".opus", ".opus/store.sqlite", ".opus/lock"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: work.root + "/" + name)
            let mode = try #require(attributes[.posixPermissions] as? Int)
            #expect(mode & 0o077 == 0, "\(name)")
        }
    }

    // MARK: Times

    @Test(
        "a time is written with the offset of its zone at that time"
    )
    func zones() {
        let winter = Workplace.tuesday
        let summer = winter + 120 * Workplace.day
        for (zone, time, text) in [
            ("Europe/Paris", winter, "2026-03-10T08:30:00+01:00"),
            ("Europe/Paris", summer, "2026-07-08T09:30:00+02:00"),
            ("America/St_Johns", winter, "2026-03-10T05:00:00-02:30"),
            ("Asia/Kolkata", winter, "2026-03-10T13:00:00+05:30"),
            ("Nowhere/At_All", winter, "2026-03-10T07:30:00+00:00"),
        ] {
            #expect(ZoneClock(zone: zone).rfc3339(time) == text)
        }
    }

    @Test("a fixed clock does not advance")
    func clock() {
        #expect(SessionClock(fixed: Workplace.tuesday).now == Workplace.tuesday)
        let system = SessionClock().now
        #expect(abs(system.seconds - Int64(Date().timeIntervalSince1970)) < 60)
    }
}
