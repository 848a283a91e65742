import TestSupport
import Testing

@testable import Pipeline

/// The gate that keeps a watch from beginning something while another command needs the store.
@Suite("Watch gate", .timeLimit(.minutes(1))) struct WatchGateTests {
    @Test("an open gate lets every task pass, and a gate closed twice must be opened twice")
    func closers() async throws {
        let gate = WatchGate()
        try await gate.passage()
        gate.close()
        gate.close()
        let count = Locked(0)
        let passage = Task {
            try await gate.passage()
            count.change { $0 += 1 }
        }
        try await Task.sleep(for: .milliseconds(50))
        gate.open()
        try await Task.sleep(for: .milliseconds(50))
        #expect(count.value == 0)
        gate.open()
        try await passage.value
        #expect(count.value == 1)
    }

    @Test("a cancelled wait at the gate ends at once")
    func cancelled() async throws {
        let gate = WatchGate()
        gate.close()
        let passage = Task { try await gate.passage() }
        passage.cancel()
        await #expect(throws: CancellationError.self) { try await passage.value }
    }

    @Test("the gate knows whether a part of the watch holds the lock")
    func work() async throws {
        let (folder, gate) = (try TemporaryFolder(), WatchGate())
        let lock = WorkspaceLock(path: folder.path + "/lock", isHeld: false, gate: gate)
        #expect(!gate.isBusy)
        let isBusy = try await lock.waiting { gate.isBusy }
        #expect(isBusy)
        await #expect(throws: CancellationError.self) {
            try await lock.waiting { throw CancellationError() }
        }
        #expect(!gate.isBusy)
    }

    @Test("the workspace is not locked while the gate is closed")
    func lock() async throws {
        let (folder, gate) = (try TemporaryFolder(), WatchGate())
        let lock = WorkspaceLock(path: folder.path + "/lock", isHeld: false, gate: gate)
        gate.close()
        let count = Locked(0)
        let work = Task { [lock] in try await lock.waiting { count.change { $0 += 1 } } }
        try await Task.sleep(for: .milliseconds(80))
        #expect(count.value == 0)
        _ = try StateLock.take(path: folder.path + "/lock")
        gate.open()
        try await work.value
        #expect(count.value == 1)
    }
}
