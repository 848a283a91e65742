import NIOCore

/// COMPRESS=DEFLATE between TLS and the reader: a step of bounded size for each requested read.
///
/// The socket is read again only when all that came was given on, so a stream that grows a thousandfold costs no
/// more memory than any other, and the reader's own limits see every byte of it. RFC 4978.
final class CompressionHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// What the peer said before it left is given on to the end, within reason.
    private static let lastSteps = 16

    private let inflater: Inflater
    private let deflater: Deflater
    private var hasFailed = false

    init() throws(DeflateError) {
        inflater = try Inflater()
        deflater = try Deflater()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        inflater.feed(unwrapInboundIn(data))
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        step(context)
        context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
        guard inflater.hasMore, !hasFailed else { return context.read() }
        step(context)
        context.fireChannelReadComplete()
    }

    func channelInactive(context: ChannelHandlerContext) {
        for _ in 0..<Self.lastSteps where inflater.hasMore && !hasFailed { step(context) }
        if !hasFailed, !inflater.isWhole { fail(.cutShort, context) }
        context.fireChannelInactive()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        do {
            context.write(wrapOutboundOut(try deflater.compress(unwrapOutboundIn(data))), promise: promise)
        } catch {
            promise?.fail(error)
            fail(error, context)
        }
    }

    private func step(_ context: ChannelHandlerContext) {
        guard !hasFailed else { return }
        do {
            let bytes = try inflater.step()
            if bytes.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(bytes)) }
        } catch {
            fail(error, context)
        }
    }

    private func fail(_ error: DeflateError, _ context: ChannelHandlerContext) {
        hasFailed = true
        context.fireErrorCaught(error)
    }
}
