import Foundation
import Models
import TestSupport
import Testing

@testable import Pipeline

/// The lock of a workspace for commands that take it for a moment at a time.
@Suite("Workspace lock")
struct WorkspaceLockTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path + "/lock" }

    init() throws { folder = try TemporaryFolder() }

    private func isTaken() -> Bool {
        do {
            _ = try StateLock.take(path: path, isBrief: true)
            return false
        } catch { return true }
    }

    @Test("the lock is held during the work and released afterwards, even after a failure")
    func held() async throws {
        let lock = WorkspaceLock(path: path, isHeld: false)
        #expect(try await lock.waiting { isTaken() })
        #expect(!isTaken())
        await #expect(throws: CocoaError.self) {
            try await lock.waiting { throw CocoaError(.fileNoSuchFile) }
        }
        #expect(!isTaken())
    }

    @Test("work waits while another command holds the lock, and is then done once")
    func waits() async throws {
        let lock = WorkspaceLock(path: path, isHeld: false)
        let count = Locked(0)
        var other: StateLock? = try StateLock.take(path: path)
        let work = Task { try await lock.waiting { count.change { $0 += 1 } } }
        try await Task.sleep(for: .milliseconds(150))
        #expect(count.value == 0)
        withExtendedLifetime(other) {}
        other = nil
        try await work.value
        #expect(count.value == 1)
    }

    @Test("a wait can be cancelled, and then nothing is done")
    func cancelled() async throws {
        let lock = WorkspaceLock(path: path, isHeld: false)
        let count = Locked(0)
        let other = try StateLock.take(path: path)
        let work = Task { try await lock.waiting { count.change { $0 += 1 } } }
        work.cancel()
        await #expect(throws: CancellationError.self) { try await work.value }
        withExtendedLifetime(other) {}
        #expect(count.value == 0)
    }

    @Test("a session that holds the lock does not wait for itself")
    func own() async throws {
        let other = try StateLock.take(path: path)
        #expect(try await WorkspaceLock(path: path, isHeld: true).waiting { true })
        withExtendedLifetime(other) {}
    }

    @Test("a folder that cannot be locked is reported at once")
    func impossible() async throws {
        let lock = WorkspaceLock(path: folder.path + "/missing/lock", isHeld: false)
        let problem = await #expect(throws: Problem.self) { try await lock.waiting {} }
        #expect(problem?.code == "cannot-lock")
    }
}
