public import NIOCore

/// Bytes in, responses out: framer and parser together.
public struct ResponseDecoder: Sendable {
    private var framer: ResponseFramer
    private var parser: ResponseParser
    private var streamed = FetchResponse(sequenceNumber: 0)
    /// Octets that were kept and parsed since the session began.
    public private(set) var parsedBytes = 0

    /// Whether ``lastFrame`` is kept, for a trace.
    public var keepsFrames = false
    /// The parts of the last response.
    public private(set) var lastFrame: Frame?

    public init(limits: ResponseLimits = .standard) {
        framer = ResponseFramer(limits: limits)
        parser = ResponseParser(limits: limits)
    }

    /// How many octets of message data one response may carry before they are read past instead of kept.
    public var bodyLimit: Int {
        get { framer.limits.body }
        set { framer.limits.body = max(0, newValue) }
    }

    /// Whether message data beyond ``bodyLimit`` is cut there instead of left out.
    public var keepsStart: Bool {
        get { framer.keepsStart }
        set { framer.keepsStart = newValue }
    }

    /// From how many octets on message data comes as ``DecodedEvent/body(_:)`` out of ``nextEvent()``, piece by piece
    /// and never gathered; nil gathers all up to ``bodyLimit``. Nothing is lost to a limit then.
    public var streamThreshold: Int? {
        get { framer.streamThreshold }
        set { framer.streamThreshold = newValue.map { max(0, $0) } }
    }

    /// Octets of message data that came in since the session began, also those of a literal that is not whole yet.
    public var bodyOctets: Int { framer.bodyOctets }

    /// Whether no octet waits here: what STARTTLS demands.
    public var isEmpty: Bool { framer.isEmpty }
    public var quirks: QuirkCounts { parser.quirks }
    public var unparsableCount: Int { parser.unparsableCount }

    public mutating func feed(_ chunk: ByteBuffer) { framer.feed(chunk) }

    /// The next response, or nil when more bytes are needed.
    public mutating func next() throws(FramingError) -> Response? {
        guard let frame = try framer.next() else { return nil }
        parsedBytes += frame.size
        if keepsFrames { lastFrame = frame }
        return parser.parse(frame)
    }

    /// As ``next()``, and also the pieces of long message data as they come.
    ///
    /// The pieces of a literal come in order and before the response they belong to, in which the section is then
    /// `.omitted` with its size.
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

    /// The response up to the literal that begins, read as if it ended there.
    private func owner(of total: Int) -> FetchResponse {
        var frame = framer.pendingFrame
        frame.literals.append(.init(offset: frame.text.count - 1, content: .omitted(size: total)))
        frame.text.append(.closeParenthesis)
        // A parser of its own: what it notes will be noted again with the whole response.
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

/// A piece of one section of one message, as it came in.
public struct BodyChunk: Equatable, Sendable {
    /// 0 where the literal belongs to no FETCH that can be read.
    public var sequenceNumber: UInt32
    /// nil where the server tells it after the data: the response has it.
    public var uid: UInt32?
    /// Upper case: `1.2`, `HEADER`; empty for the whole message.
    public var section: String
    public var origin: UInt32?
    /// Where in the literal the piece begins.
    public var offset: Int
    /// Of the whole literal.
    public var total: Int
    /// A slice of what came, not a copy.
    public var bytes: ByteBuffer

    public var isLast: Bool { offset + bytes.readableBytes >= total }
}
