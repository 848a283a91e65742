import Dispatch
import Glibc
import Models
import TestSupport
import Testing

@testable import Pipeline

/// What a watch hears of the clocks of the machine.
@Suite("Machine changes", .timeLimit(.minutes(1))) struct MachineChangesTests {
    private struct Clocks {
        var boot: Int64 = 0
        var monotonic: Int64 = 0
        var real: Int64 = 0
    }

    private let clocks = Locked(Clocks())
    private let told = Locked<[MachineChanges.Change]>([])

    private func changes() -> MachineChanges {
        MachineChanges(
            every: .milliseconds(20),
            clock: { [clocks] id in
                switch id {
                case CLOCK_BOOTTIME: clocks.value.boot
                case CLOCK_MONOTONIC: clocks.value.monotonic
                case _: clocks.value.real
                }
            }
        ) { [told] change in
            // Another network of the machine that runs the test does not count.
            if case .network = change { return }
            told.change { $0.append(change) }
        }
    }

    private func waits(for count: Int) async throws {
        for _ in 0..<500 where told.value.count < count { try await Task.sleep(for: .milliseconds(10)) }
        try await Task.sleep(for: .milliseconds(60))
    }

    @Test("a new time of day is reported once, forwards and backwards, and small corrections are not")
    func timeOfDay() async throws {
        let changes = changes()
        clocks.change { $0.real += 1_000_000_000 }
        try await Task.sleep(for: .milliseconds(100))
        #expect(told.value == [])
        clocks.change { $0.real += 3_600_000_000_000 }
        try await waits(for: 1)
        #expect(told.value == [.clock])
        clocks.change { $0.real -= 7_200_000_000_000 }
        try await waits(for: 2)
        #expect(told.value == [.clock, .clock])
        withExtendedLifetime(changes) {}
    }

    @Test("a suspension is reported as one, although the time of day continues")
    func suspension() async throws {
        let changes = changes()
        clocks.change {
            $0.boot += 60_000_000_000
            $0.real += 60_000_000_000
        }
        try await waits(for: 1)
        #expect(told.value == [.resumed])
        withExtendedLifetime(changes) {}
    }
}
