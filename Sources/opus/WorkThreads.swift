import CLinux
import Foundation

/// The threads that run commands. Unlike Swift's pool, they may block: on the disk, a lock file, or the single thread
/// of libical.
///
/// Swift's pool has one thread per core and does not replace a blocked thread: on a small machine two waits stop every
/// task, even those of the network. Here a job that finds no idle thread starts a new one, up to ``maximum``. A task
/// and its child tasks stay on these threads; an unstructured `Task` must request them.
final class WorkThreads: TaskExecutor, @unchecked Sendable {
    static let shared = WorkThreads()

    /// The name of each thread.
    static let threadName = "opus-work"
    static let maximum = 16

    /// Protects all fields below, so that the class is `Sendable`.
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
            // `Thread.name` takes effect only after `start()` has returned, which may be later than this.
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
