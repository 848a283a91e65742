public import NIOCore

/// Turns bytes into responses: a framer and a parser.
public struct ResponseDecoder: Sendable {
    private var framer: ResponseFramer
    private var parser: ResponseParser
    private var streamed = FetchResponse(sequenceNumber: 0)
    /// The octets kept and parsed in this session.
    public private(set) var parsedBytes = 0

    /// Whether to keep ``lastFrame``, for a trace.
    public var keepsFrames = false
    /// The raw form of the last response.
    public private(set) var lastFrame: Frame?

    public init(limits: ResponseLimits = .standard) {
        framer = ResponseFramer(limits: limits)
        parser = ResponseParser(limits: limits)
    }

    /// The most octets of message data of one response. Longer data is discarded.
    public var bodyLimit: Int {
        get { framer.limits.body }
        set { framer.limits.body = max(0, newValue) }
    }

    /// Whether to keep the beginning of message data beyond ``bodyLimit``, instead of discarding all of it.
    public var keepsStart: Bool {
        get { framer.keepsStart }
        set { framer.keepsStart = newValue }
    }

    /// Message data of at least this many octets comes in pieces, as ``DecodedEvent/body(_:)`` of ``nextEvent()``, and
    /// no limit applies to it; nil: all data up to ``bodyLimit`` is collected.
    public var streamThreshold: Int? {
        get { framer.streamThreshold }
        set { framer.streamThreshold = newValue.map { max(0, $0) } }
    }

    /// The octets of message data received in this session, including those of an incomplete literal.
    public var bodyOctets: Int { framer.bodyOctets }

    /// Whether the buffer is empty, as STARTTLS requires. RFC 9051 §6.2.1.
    public var isEmpty: Bool { framer.isEmpty }
    public var quirks: QuirkCounts { parser.quirks }
    public var unparsableCount: Int { parser.unparsableCount }

    public mutating func feed(_ chunk: ByteBuffer) { framer.feed(chunk) }

    /// The next response; nil: more bytes are needed.
    public mutating func next() throws(FramingError) -> Response? {
        guard let frame = try framer.next() else { return nil }
        parsedBytes += frame.size
        if keepsFrames { lastFrame = frame }
        return parser.parse(frame)
    }

    /// Like ``next()``, and also returns pieces of long message data as they arrive.
    ///
    /// The pieces of a literal come in order, before their response. In that response, the section is `.omitted` with
    /// its size.
    public mutating func nextEvent() throws(FramingError) -> DecodedEvent? {
        guard let output = try framer.nextOutput() else { return nil }
        switch output {
        case .frame(let frame):
            parsedBytes += frame.size
            return .response(parser.parse(frame))
        case .octets(let octets, let offset, let total):
            if offset == 0 { streamed = owner(of: total) }
            return .body(
                BodyChunk(
                    sequenceNumber: streamed.sequenceNumber, uid: streamed.uid,
                    section: streamed.sections.last?.name ?? "", origin: streamed.sections.last?.origin,
                    offset: offset, total: total, bytes: octets))
        }
    }

    /// The response up to the current literal, parsed as if it ended there.
    private func owner(of total: Int) -> FetchResponse {
        var frame = framer.pendingFrame
        frame.literals.append(.init(offset: frame.text.count - 1, content: .omitted(size: total)))
        frame.text.append(.closeParenthesis)
        // A separate parser, because the complete response will record the same quirks again.
        var reader = ResponseParser(limits: parser.limits)
        guard case .untagged(.fetch(let fetch)) = reader.parse(frame) else {
            return FetchResponse(sequenceNumber: 0)
        }
        return fetch
    }
}

/// The results of ``ResponseDecoder/nextEvent()``.
public enum DecodedEvent: Equatable, Sendable {
    case response(Response)
    case body(BodyChunk)
}

/// A piece of one section of a message, as received.
public struct BodyChunk: Equatable, Sendable {
    /// 0: the literal does not belong to a readable FETCH.
    public var sequenceNumber: UInt32
    /// nil: the server sends the UID after the data; the response has it.
    public var uid: UInt32?
    /// Upper case: `1.2`, `HEADER`; empty for the whole message.
    public var section: String
    public var origin: UInt32?
    /// The position of the piece in the literal.
    public var offset: Int
    /// The size of the whole literal.
    public var total: Int
    /// A slice of the received bytes, without a copy.
    public var bytes: ByteBuffer

    public var isLast: Bool { offset + bytes.readableBytes >= total }
}
