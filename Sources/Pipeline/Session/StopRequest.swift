import Synchronization

/// The wish that a session ends soon: no other step of the journal begins, and what is under way is finished.
public final class StopRequest: Sendable {
    private let requested = Mutex(false)

    public var isRequested: Bool { requested.withLock { $0 } }

    public func request() { requested.withLock { $0 = true } }
}
