import Synchronization

/// A request to end the session soon: it finishes the current step of the journal and starts no other one.
public final class StopRequest: Sendable {
    private let requested = Mutex(false)

    public var isRequested: Bool { requested.withLock { $0 } }

    public func request() { requested.withLock { $0 = true } }
}
