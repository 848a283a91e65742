import Models
import TestSupport
import Testing

@testable import Pipeline

/// The wait of a watch, and what ends it from outside.
@Suite("Doorbell", .timeLimit(.minutes(1))) struct DoorbellTests {
    private func forever() async throws -> Int {
        try await Task.sleep(for: .seconds(3_600))
        return 0
    }

    @Test("a ring ends the present or the next wait")
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

    @Test("a body that ends by itself returns its result or throws its error")
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

    @Test("a visitor gets the report of the next round, or none if the bell is closed")
    func visitors() async throws {
        let bell = Doorbell()
        let visit = Task { await bell.visit() }
        #expect(try await bell.waiting(forever) == nil)
        #expect(bell.take() == .person)
        let visitors = bell.visitors()
        #expect(visitors.count == 1)
        for visitor in visitors { visitor.resume(returning: SyncReport(account: AccountID("work"))) }
        #expect(await visit.value?.account == AccountID("work"))
        let other = Task { await bell.visit() }
        #expect(try await bell.waiting(forever) == nil)
        bell.close()
        #expect(await other.value == nil)
        #expect(await bell.visit() == nil, "closed")
    }

    @Test(
        "another network restarts an account after a wrong certificate, and only the user after a refused login"
    )
    func revival() async throws {
        let portal = Problem("untrusted-certificate", exit: .unavailable, message: "")
        let refused = Problem("login-refused", exit: .loginRefused, message: "")
        let bell = Doorbell()
        bell.ring(.network)
        #expect(await bell.revival(after: portal, every: .seconds(3_600)) { false })
        bell.ring(.network)
        let wait = Task { await bell.revival(after: refused, every: .seconds(3_600)) { false } }
        try await Task.sleep(for: .milliseconds(50))
        bell.ring(.person)
        #expect(await wait.value)
    }

    @Test(
        "a refused account restarts on request of the user or with another secret")
    func refused() async throws {
        let bell = Doorbell()
        let problem = Problem("login-refused", exit: .loginRefused, message: "no")
        let looks = Locked(0)
        bell.ring(.network)
        let isBack = await bell.revival(after: problem, every: .milliseconds(5)) {
            looks.change { $0 += 1 }
            return looks.value == 3
        }
        #expect(isBack && looks.value == 3, "another network changes nothing")
        let wait = Task {
            await bell.revival(after: problem, every: .seconds(3_600)) {
                looks.change { $0 += 1 }
                return true
            }
        }
        bell.ring(.person)
        #expect(await wait.value)
        #expect(looks.value == 3)
    }
}
