import NIOCore

/// COMPRESS=DEFLATE between TLS and the reader: each requested read produces a limited number of bytes. RFC 4978.
///
/// The socket is read again only after all received bytes were passed on. So a stream that expands a thousandfold needs
/// no more memory than others, and the reader's own limits apply to every byte.
final class CompressionHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// After the peer has closed, at most this many steps of its remaining data are passed on.
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
