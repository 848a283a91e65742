import CLinux
import Foundation

/// The threads on which commands run. Unlike Swift's own pool, they may wait: for the disk, a lock file, or the one
/// thread of libical.
///
/// Swift's pool has one thread per core, and a blocked thread is not replaced: two waits on a small machine stop every
/// task, also the network's. Here a job that finds no idle thread starts one, up to ``maximum``.
/// A task and its child tasks stay on these threads; an unstructured `Task` has to ask for them.
final class WorkThreads: TaskExecutor, @unchecked Sendable {
    static let shared = WorkThreads()

    /// The name of each thread.
    static let threadName = "opus-work"
    static let maximum = 16

    /// Guards everything below, which makes the class `Sendable`.
    private let condition = NSCondition()
    private var jobs: [UnownedJob] = []
    private var idle = 0
    private var threads = 0

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        condition.withLock {
            jobs.append(job)
            if jobs.count > idle, threads < Self.maximum {
                threads += 1
                startThread()
            } else {
                condition.signal()
            }
        }
    }

    private func startThread() {
        let thread = Thread { [self] in
            // `Thread.name` has no effect before `start()` has returned, which may be later than this.
            opus_name_thread(Self.threadName)
            while true { next().runSynchronously(on: asUnownedTaskExecutor()) }
        }
        thread.stackSize = 8 << 20
        thread.start()
    }

    private func next() -> UnownedJob {
        condition.withLock {
            idle += 1
            while jobs.isEmpty { condition.wait() }
            idle -= 1
            return jobs.removeFirst()
        }
    }
}
