import Synchronization

/// Collects all elements that have arrived since the last request.
///
/// A consumer that writes to disk once per answer falls behind; a consumer that writes once for all waiting
/// answers does not. Supports one consumer.
final class Arrivals<Element: Sendable>: AsyncSequence, Sendable {
    private let held = Mutex<[Element]>([])
    private let signals: AsyncStream<Void>
    private let signaller: AsyncStream<Void>.Continuation

    init() {
        (signals, signaller) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    func add(_ element: Element) {
        held.withLock { $0.append(element) }
        signaller.yield()
    }

    /// No more elements are added; the consumer still gets those that are waiting.
    func finish() { signaller.finish() }

    func makeAsyncIterator() -> Iterator { Iterator(arrivals: self, signals: signals.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let arrivals: Arrivals
        fileprivate var signals: AsyncStream<Void>.Iterator

        /// At least one element; nil at the end.
        mutating func next() async -> [Element]? {
            while await signals.next() != nil {
                let some = arrivals.takeAll()
                if !some.isEmpty { return some }
            }
            return nil
        }
    }

    private func takeAll() -> [Element] {
        held.withLock { held in
            defer { held = [] }
            return held
        }
    }
}
