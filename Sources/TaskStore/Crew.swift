import Foundation
import Synchronization

/// Several threads for work that waits: for the disk, or for the single thread of libical.
///
/// A disk that gets requests of several threads at once serves all of them with one flush.
enum Crew {
    /// The results of `work` for each item, in their order. Only a limited number of items is in progress at a time.
    static func map<Item: Sendable, Output: Sendable>(
        _ items: [Item], threads: Int, _ work: @escaping @Sendable (Item) -> Output
    ) -> [Output] {
        let threads = min(threads, items.count)
        guard threads > 1 else { return items.map(work) }
        let job = Job(items, work)
        let group = DispatchGroup()
        for _ in 0..<threads {
            group.enter()
            let thread = Thread {
                job.run()
                group.leave()
            }
            thread.stackSize = 512 << 10
            thread.start()
        }
        group.wait()
        return job.outputs.withLock { $0.compactMap(\.self) }
    }

    private final class Job<Item: Sendable, Output: Sendable>: Sendable {
        let outputs: Mutex<[Output?]>
        private let items: [Item]
        private let work: @Sendable (Item) -> Output
        private let next = Atomic(0)

        init(_ items: [Item], _ work: @escaping @Sendable (Item) -> Output) {
            self.items = items
            self.work = work
            outputs = Mutex(Array(repeating: nil, count: items.count))
        }

        func run() {
            while true {
                let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
                guard index < items.count else { return }
                let output = work(items[index])
                outputs.withLock { $0[index] = output }
            }
        }
    }
}
