import TestSupport
import Testing

@testable import Pipeline

/// The wait of a watch, and what ends it from outside.
@Suite("Doorbell", .timeLimit(.minutes(1))) struct DoorbellTests {
    private func forever() async throws -> Int {
        try await Task.sleep(for: .seconds(3_600))
        return 0
    }

    @Test("a ring ends the wait, also one that came before it")
    func rings() async throws {
        let bell = Doorbell()
        bell.ring(.files)
        #expect(try await bell.waiting(forever) == nil)
        #expect(bell.take() == .files)
        let wait = Task { try await bell.waiting(forever) }
        try await Task.sleep(for: .milliseconds(50))
        bell.ring(.network)
        bell.ring(.person)
        bell.ring(.files)
        #expect(try await wait.value == nil)
        #expect(bell.take() == .person)
        #expect(bell.take() == nil)
    }

    @Test("what ends by itself has its result, and its error")
    func ends() async throws {
        let bell = Doorbell()
        #expect(try await bell.waiting { 7 } == 7)
        await #expect(throws: CancellationError.self) { try await bell.waiting { throw CancellationError() } }
    }

    @Test("a cancelled wait ends at once")
    func cancelled() async throws {
        let bell = Doorbell()
        let wait = Task { try await bell.waiting(forever) }
        wait.cancel()
        await #expect(throws: CancellationError.self) { try await wait.value }
    }
}
