import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import Transport

/// Sends one request when the channel is ready, records the head of the response, and passes its body on.
final class ResponseHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = HTTPClientRequestPart

    /// The state of the response.
    struct Answer: Sendable {
        var head: HTTPResponseHead?
        var isComplete = false
        var isMalformed = false
        var interim = 0

        /// Ends a response without a length at the end of the connection. Returns whether it was still open.
        mutating func endIfOpen() -> Bool {
            guard let head, !isMalformed, !head.headers.contains(name: "Content-Length"),
                !head.headers.contains(name: "Transfer-Encoding")
            else { return false }
            isComplete = true
            return true
        }
    }

    /// The most interim responses such as `103 Early Hints`.
    private static let mostInterim = 8
    private static let headLimits = {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 16 << 10
        limits.maxHeaderListSize = 64 << 10
        limits.maxHeaderFieldCount = 128
        return limits
    }()

    private let head: HTTPRequestHead
    private let body: [UInt8]
    private let answer: NIOLockedValueBox<Answer>
    private let readsBody: Bool

    init(
        _ head: HTTPRequestHead, body: [UInt8], answer: NIOLockedValueBox<Answer>, readsBody: Bool
    ) {
        self.head = head
        self.body = body
        self.answer = answer
        self.readsBody = readsBody
    }

    /// This handler, and the handlers below it.
    static func pipeline(
        _ head: HTTPRequestHead, body: [UInt8], answer: NIOLockedValueBox<Answer>, readsBody: Bool
    ) -> [any ChannelHandler] {
        let decoder = HTTPResponseDecoder(
            informationalResponseStrategy: .forward, limitConfiguration: headLimits)
        return [
            HTTPRequestEncoder(), ByteToMessageHandler(decoder),
            ResponseHandler(head, body: body, answer: answer, readsBody: readsBody),
        ]
    }

    func handlerAdded(context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if !body.isEmpty {
            context.write(
                wrapOutboundOut(.body(.byteBuffer(context.channel.allocator.buffer(bytes: body)))),
                promise: nil)
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !answer.withLockedValue(\.isComplete) else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            note(head, context)
        case .body(let bytes):
            context.fireChannelRead(wrapInboundOut(bytes))
        case .end:
            guard answer.withLockedValue({ $0.head != nil }) else { return }
            end(context)
        }
    }

    private func end(_ context: ChannelHandlerContext) {
        answer.withLockedValue { $0.isComplete = true }
        context.fireUserInboundEventTriggered(StreamEnd())
    }

    private func note(_ head: HTTPResponseHead, _ context: ChannelHandlerContext) {
        let isTooMuch = answer.withLockedValue { answer in
            if head.status.code >= 200 {
                answer.head = head
            } else {
                answer.interim += 1
            }
            answer.isMalformed = answer.isMalformed || answer.interim > Self.mostInterim
            return answer.isMalformed
        }
        if isTooMuch { return context.close(promise: nil) }
        if !readsBody, head.status.code >= 200 { end(context) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is HTTPParserError { answer.withLockedValue { $0.isMalformed = true } }
        context.fireErrorCaught(error)
    }
}
