import Foundation
import Testing

@testable import opus

/// Commands may wait without keeping a thread of Swift's own pool.
@Suite("Work threads")
struct WorkThreadsTests {
    private actor Place {
        func threadName() -> String? { WorkThreadsTests.currentName() }
    }

    private static func threadName() async -> String? { currentName() }

    fileprivate static func currentName() -> String? { Thread.current.name }

    @Test("functions, actors and child tasks of a command stay on the work threads")
    func staysOnWorkThreads() async {
        let names = await Task(executorPreference: WorkThreads.shared) {
            let place = Place()
            async let child = Self.threadName()
            let group = await withTaskGroup(of: String?.self) { group in
                for _ in 0..<4 { group.addTask { Self.currentName() } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            return [await Self.threadName(), await place.threadName(), await child] + group
        }.value
        #expect(names == Array(repeating: WorkThreads.threadName, count: 7))
    }

    @Test("a task continues even if more tasks wait than the machine has cores")
    func waitingTasksKeepNobodyWaiting() async {
        let waiting = 8
        let release = DispatchSemaphore(value: 0)
        let released = await withTaskExecutorPreference(WorkThreads.shared) {
            await withTaskGroup(of: Bool.self) { group in
                // A wait without end would hang the suite, not fail it.
                for _ in 0..<waiting { group.addTask { Self.wait(for: release) } }
                group.addTask {
                    await Task.yield()
                    for _ in 0..<waiting { release.signal() }
                    return false
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
        }
        #expect(released == waiting)
    }

    private static func wait(for semaphore: DispatchSemaphore) -> Bool {
        semaphore.wait(timeout: .now() + 20) == .success
    }
}
