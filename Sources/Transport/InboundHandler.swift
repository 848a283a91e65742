import NIOCore
import NIOSSL
import NIOTLS

/// The last handler of the pipeline: runs the ``Inbox`` and reports when TLS is established.
///
/// It runs on its event loop only. Automatic reading is off, so every read is requested here.
final class InboundHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private var inbox = Inbox()
    private var context: ChannelHandlerContext?
    private var waiter: EventLoopPromise<ByteBuffer?>?
    private var handshake: EventLoopPromise<Void>?
    private var trust: TLSTrust?
    private var alarm: Scheduled<Void>?
    private var wakeup: Wakeup?

    var failure: TransportError.Code? { inbox.failure }

    // MARK: Requests

    func receive(timeout: TimeAmount, on loop: any EventLoop) -> EventLoopFuture<ByteBuffer?> {
        receive(on: loop) { handler in
            handler.setAlarm(timeout, on: loop) { $0.run($0.inbox.timeout()) }
        }
    }

    func receive(until wakeup: Wakeup, on loop: any EventLoop) -> EventLoopFuture<ByteBuffer?> {
        guard !wakeup.hasFired else { return loop.makeFailedFuture(CodedFailure(.timedOut(.receive))) }
        return receive(on: loop) { $0.wakeup = wakeup }
    }

    func wake(_ wakeup: Wakeup) {
        if self.wakeup === wakeup { run(inbox.timeout()) }
    }

    private func receive(
        on loop: any EventLoop, _ prepare: (InboundHandler) -> Void
    ) -> EventLoopFuture<ByteBuffer?> {
        let promise = loop.makePromise(of: ByteBuffer?.self)
        let action = inbox.startReceive()
        if action == .fail(.busy) {
            promise.fail(action.failure)
        } else {
            waiter = promise
            if action == .read { prepare(self) }
            run(action)
        }
        return promise.futureResult
    }

    /// Inserts compression below this handler, above TLS.
    func compress() throws {
        guard let context, inbox.obstacleToTLS == nil else {
            throw CodedFailure(inbox.obstacleToTLS ?? .closedByPeer)
        }
        try context.pipeline.syncOperations.addHandler(CompressionHandler(), position: .before(self))
    }

    /// Inserts other handlers below this one, the first of them lowest.
    func insert(_ handlers: [any ChannelHandler]) throws {
        guard let context, inbox.obstacleToTLS == nil else {
            throw CodedFailure(inbox.obstacleToTLS ?? .closedByPeer)
        }
        for handler in handlers {
            try context.pipeline.syncOperations.addHandler(handler, position: .before(self))
        }
    }

    /// Inserts TLS below this handler. Refused while a plaintext byte is unread.
    func startTLS(
        _ trust: TLSTrust, timeout: TimeAmount, on loop: any EventLoop
    ) -> EventLoopFuture<Void> {
        let promise = loop.makePromise(of: Void.self)
        guard let context, inbox.obstacleToTLS == nil else {
            promise.fail(CodedFailure(inbox.obstacleToTLS ?? .closedByPeer))
            return promise.futureResult
        }
        handshake = promise
        self.trust = trust
        do {
            let tls = try trust.handler()
            setAlarm(timeout, on: loop) { $0.end(.timedOut(.tls)) }
            try context.pipeline.syncOperations.addHandler(tls, position: .first)
            context.channel.read()
        } catch {
            end(FailureReason.code(for: error, policy: trust.policy, peer: nil))
        }
        return promise.futureResult
    }

    func close() {
        run(inbox.close())
        failHandshake(.closed)
        context?.read()
    }

    // MARK: Channel events

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        end(.closedByPeer)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        inbox.receive(unwrapInboundIn(data))
    }

    func channelReadComplete(context: ChannelHandlerContext) { run(inbox.endRead()) }

    func channelInactive(context: ChannelHandlerContext) {
        failHandshake(.tlsFailed(reason: FailureReason.closedInHandshake))
        run(inbox.end(nil))
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is StreamEnd { return run(inbox.end(nil)) }
        guard let event = event as? TLSUserEvent, case .handshakeCompleted = event else { return }
        if let distrust = trust?.distrust(of: peerCertificate(context)) { return end(distrust) }
        alarm?.cancel()
        handshake?.succeed(())
        handshake = nil
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let peer = peerCertificate(context)
        end(FailureReason.code(for: error, policy: trust?.policy, peer: peer))
    }

    private func peerCertificate(_ context: ChannelHandlerContext) -> NIOSSLCertificate? {
        let tls = try? context.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self)
        return tls?.peerCertificate
    }

    // MARK: Actions

    private func run(_ action: Inbox.Action) {
        switch action {
        case .read:
            context?.read()
            if let channel = context?.channel { QuickAck.ask(channel) }
        case .deliver(let bytes):
            complete { $0.succeed(bytes) }
        case .finish:
            complete { $0.succeed(nil) }
        case .fail:
            complete { $0.fail(action.failure) }
        case .wait:
            break
        }
    }

    private func complete(_ body: (EventLoopPromise<ByteBuffer?>) -> Void) {
        alarm?.cancel()
        wakeup = nil
        guard let promise = waiter else { return }
        waiter = nil
        body(promise)
    }

    func end(_ code: TransportError.Code) {
        run(inbox.end(code))
        failHandshake(code)
        context?.close(promise: nil)
    }

    private func failHandshake(_ code: TransportError.Code) {
        guard let promise = handshake else { return }
        alarm?.cancel()
        handshake = nil
        promise.fail(CodedFailure(code))
    }

    private func setAlarm(
        _ timeout: TimeAmount, on loop: any EventLoop, _ body: @escaping (InboundHandler) -> Void
    ) {
        alarm?.cancel()
        alarm = loop.assumeIsolated().scheduleTask(in: timeout) { body(self) }
    }
}

/// Fired by an inserted handler: its message is complete, and all later bytes are ignored.
public struct StreamEnd: Sendable {
    public init() {}
}

/// An error code inside a promise; ``Connection`` adds the endpoint.
struct CodedFailure: Error {
    let code: TransportError.Code

    init(_ code: TransportError.Code) { self.code = code }
}

extension Inbox.Action {
    fileprivate var failure: CodedFailure {
        guard case .fail(let code) = self else { return CodedFailure(.closedByPeer) }
        return CodedFailure(code)
    }
}
