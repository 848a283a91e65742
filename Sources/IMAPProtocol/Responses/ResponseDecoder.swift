public import NIOCore

/// Bytes in, responses out: framer and parser together.
public struct ResponseDecoder: Sendable {
    private var framer: ResponseFramer
    private var parser: ResponseParser
    /// Octets that were kept and parsed since the session began.
    public private(set) var parsedBytes = 0

    public init(limits: ResponseLimits = .standard) {
        framer = ResponseFramer(limits: limits)
        parser = ResponseParser(limits: limits)
    }

    /// How many octets of message data one response may carry before they are read past instead of kept.
    public var bodyLimit: Int {
        get { framer.limits.body }
        set { framer.limits.body = max(0, newValue) }
    }

    /// Whether no octet waits here: what STARTTLS demands.
    public var isEmpty: Bool { framer.isEmpty }
    public var quirks: QuirkCounts { parser.quirks }
    public var unparsableCount: Int { parser.unparsableCount }

    public mutating func feed(_ chunk: ByteBuffer) { framer.feed(chunk) }

    /// The next response, or nil when more bytes are needed.
    public mutating func next() throws(FramingError) -> Response? {
        guard let frame = try framer.next() else { return nil }
        parsedBytes += frame.size
        return parser.parse(frame)
    }
}
