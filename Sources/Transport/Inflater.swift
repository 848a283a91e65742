import CZlib
import NIOCore

/// Why a compressed stream cannot be read.
enum DeflateError: Error, Equatable, CustomStringConvertible {
    case damaged
    case cutShort
    case outOfMemory

    var description: String {
        switch self {
        case .damaged: "the server's compressed data cannot be read; switch compression off for this account"
        case .cutShort: "the server's compressed data ends in the middle"
        case .outOfMemory: "not enough memory for compression"
        }
    }
}

/// Decompresses a raw DEFLATE stream in steps of limited size. RFC 1951, RFC 4978 §3.
///
/// A kilobyte may expand to a megabyte: the rest of a step stays compressed until the next one.
final class Inflater {
    /// The most bytes of one step.
    static let stepMaximum = 1_024 * 1_024
    private static let chunk = 64 * 1_024

    private let stream: UnsafeMutablePointer<z_stream>
    private var pending = ByteBuffer()
    private var isAtBoundary = true
    private var hasEnded = false
    /// Whether the last step filled its buffer: zlib may have more output, even without more input.
    private var isFull = false

    init() throws(DeflateError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let size = Int32(MemoryLayout<z_stream>.size)
        guard inflateInit2_(stream, -MAX_WBITS, ZLIB_VERSION, size) == Z_OK else {
            stream.deallocate()
            throw .outOfMemory
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Whether ``step()`` may return more bytes.
    var hasMore: Bool { pending.readableBytes > 0 || isFull }

    /// Whether the stream may end here, between two blocks.
    var isWhole: Bool { !hasMore && (isAtBoundary || hasEnded) }

    func feed(_ bytes: ByteBuffer) {
        var bytes = bytes
        if pending.readableBytes == 0 { pending = bytes } else { pending.writeBuffer(&bytes) }
    }

    /// The next bytes, at most ``stepMaximum``; empty: more input is needed.
    func step() throws(DeflateError) -> ByteBuffer {
        var output = ByteBuffer()
        while output.readableBytes < Self.stepMaximum, hasMore {
            guard !hasEnded else { throw .damaged }
            try inflateChunk(into: &output)
        }
        return output
    }

    private func inflateChunk(into output: inout ByteBuffer) throws(DeflateError) {
        var status = Z_OK
        let likely = isFull ? Self.chunk : min(Self.chunk, max(1_024, pending.readableBytes * 4))
        let room = min(likely, Self.stepMaximum - output.readableBytes)
        let used = pending.withUnsafeReadableBytes { input -> Int in
            let start = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
            stream.pointee.next_in = start
            stream.pointee.avail_in = UInt32(input.count)
            output.writeWithUnsafeMutableBytes(minimumWritableBytes: room) { space in
                stream.pointee.next_out = space.bindMemory(to: UInt8.self).baseAddress
                stream.pointee.avail_out = UInt32(room)
                status = inflate(stream, Z_SYNC_FLUSH)
                return room - Int(stream.pointee.avail_out)
            }
            return input.count - Int(stream.pointee.avail_in)
        }
        pending.moveReaderIndex(forwardBy: used)
        isFull = stream.pointee.avail_out == 0
        isAtBoundary = stream.pointee.data_type & 128 != 0
        switch status {
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END:
            hasEnded = true
            isFull = false
        case Z_MEM_ERROR: throw .outOfMemory
        default: throw .damaged
        }
    }
}

/// Compresses a raw DEFLATE stream, and flushes after each input. RFC 4978 §3.
final class Deflater {
    private let stream: UnsafeMutablePointer<z_stream>

    init() throws(DeflateError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let size = Int32(MemoryLayout<z_stream>.size)
        let status = deflateInit2_(
            stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
        guard status == Z_OK else {
            stream.deallocate()
            throw .outOfMemory
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// The compressed form of `bytes`, up to the last one, so that the peer can read all of it.
    func compress(_ bytes: ByteBuffer) throws(DeflateError) -> ByteBuffer {
        var output = ByteBuffer()
        // Without input there is nothing to flush; for zlib, a second empty block in a row is an error.
        guard bytes.readableBytes > 0 else { return output }
        var status = Z_OK
        bytes.withUnsafeReadableBytes { input in
            stream.pointee.next_in = UnsafeMutablePointer(
                mutating: input.bindMemory(to: UInt8.self).baseAddress)
            stream.pointee.avail_in = UInt32(input.count)
            repeat {
                let room = max(256, input.count / 2)
                output.writeWithUnsafeMutableBytes(minimumWritableBytes: room) { space in
                    stream.pointee.next_out = space.bindMemory(to: UInt8.self).baseAddress
                    stream.pointee.avail_out = UInt32(room)
                    status = deflate(stream, Z_SYNC_FLUSH)
                    return room - Int(stream.pointee.avail_out)
                }
            } while status == Z_OK && stream.pointee.avail_out == 0
        }
        guard status == Z_OK || status == Z_BUF_ERROR else { throw .damaged }
        return output
    }
}
