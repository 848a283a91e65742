import NIOConcurrencyHelpers
import NIOCore

/// Ends one long wait for bytes from outside, and leaves the connection as it is.
///
/// It may be fired before the wait begins, twice, or too late: then nothing else is disturbed. See
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
