import Models
import Pipeline
import TestSupport
import Testing

@testable import opus

/// A watch gives memory back when it has been at rest for a while, not after each message of a burst.
@Suite("Spare memory")
struct SpareMemoryTests {
    private typealias Work = @Sendable () -> Void

    private func working(_ memory: SpareMemory) {
        var state = AccountWatch(account: AccountID("work"), since: Timestamp(seconds: 0))
        state.phase = .indexing
        memory.note(.state(state))
    }

    @Test("three messages in a row return memory once")
    func burst() {
        let (planned, returns) = (Locked<[Work]>([]), Locked(0))
        let memory = SpareMemory { work in
            planned.change { $0.append(work) }
        } giveBack: {
            returns.change { $0 += 1 }
        }
        for _ in 1...3 {
            working(memory)
            memory.note(.listening("IDLE"))
        }
        #expect(returns.value == 0)
        for work in planned.value { work() }
        #expect(returns.value == 1)
        memory.note(.listening("IDLE"))
        for work in planned.value { work() }
        #expect(returns.value == 1, "nothing was read since")
        working(memory)
        memory.note(.listening("IDLE"))
        planned.value.last?()
        #expect(returns.value == 2)
    }
}
