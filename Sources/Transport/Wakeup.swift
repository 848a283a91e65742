import NIOConcurrencyHelpers
import NIOCore

/// Ends one wait for bytes from outside, and keeps the connection.
///
/// It may be fired before the wait begins, twice, or too late; it then has no other effect. See
/// ``Connection/receive(until:)``.
public final class Wakeup: Sendable {
    private let inbound: NIOLoopBound<InboundHandler>
    private let loop: any EventLoop
    private let fired = NIOLockedValueBox(false)

    init(_ inbound: NIOLoopBound<InboundHandler>, on loop: any EventLoop) {
        self.inbound = inbound
        self.loop = loop
    }

    var hasFired: Bool { fired.withLockedValue { $0 } }

    public func fire() {
        fired.withLockedValue { $0 = true }
        loop.execute { self.inbound.value.wake(self) }
    }
}
