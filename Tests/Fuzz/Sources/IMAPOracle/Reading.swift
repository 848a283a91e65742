// What the decoder makes of bytes, cut in any way: the cutting must not show.

public import IMAPProtocol
public import NIOCore
import Oracle

/// How a session ended. The octets that a line had when it was found too long depend on the cutting, so only what
/// kind of limit it was is kept.
public enum Ending: Equatable {
    case none
    case text
    case literal(Int)
    case literals

    public init(_ error: FramingError) {
        switch error {
        case .lineTooLong(let actual, let maximum), .responseTooLong(let actual, let maximum):
            promise(actual > maximum, "an error names a figure above its maximum: \(error)")
            self = .text
        case .literalTooLong(let actual, let maximum):
            promise(actual > maximum, "an error names a figure above its maximum: \(error)")
            self = .literal(actual)
        case .tooManyLiterals(let actual, let maximum):
            promise(actual == maximum + 1, "one literal too many ends it: \(error)")
            self = .literals
        }
    }
}

/// The sizes of the pieces that an input comes in.
public enum Pieces: CaseIterable {
    case whole
    case ones
    case sevens
    /// Sizes that the bytes themselves choose.
    case uneven

    /// Hands the bytes over piece by piece until told to stop.
    public func cut(_ bytes: [UInt8], _ hand: (ByteBuffer) -> Bool) {
        var rest = bytes[...]
        while let first = rest.first {
            let size =
                switch self {
                case .whole: rest.count
                case .ones: 1
                case .sevens: 7
                case .uneven: Int(first) % 31 + 1
                }
            guard hand(ByteBuffer(bytes: rest.prefix(size))) else { return }
            rest = rest.dropFirst(size)
        }
    }
}

/// All frames of some bytes.
public struct Framing: Equatable {
    public var frames: [Frame] = []
    public var ending = Ending.none
    public var isEmpty = true

    public init(_ bytes: [UInt8], _ pieces: Pieces, _ limits: ResponseLimits) {
        var framer = ResponseFramer(limits: limits)
        var read = self
        pieces.cut(bytes) { piece in
            framer.feed(piece)
            do throws(FramingError) {
                while let frame = try framer.next() { read.frames.append(frame) }
                return true
            } catch {
                read.ending = Ending(error)
                return false
            }
        }
        self = read
        isEmpty = framer.isEmpty
    }
}

/// All responses of some bytes, with the data that came apart from them.
public struct Reading: Equatable {
    public var responses: [Response] = []
    /// The literals that were handed out piece by piece, joined.
    public var streamed: [StreamedLiteral] = []
    public var ending = Ending.none
    public var quirks = QuirkCounts()
    public var unparsable = 0
    public var isEmpty = true

    public init(
        _ bytes: [UInt8], _ pieces: Pieces, _ limits: ResponseLimits, streamingFrom threshold: Int? = nil
    ) {
        var decoder = ResponseDecoder(limits: limits)
        decoder.streamThreshold = threshold
        var read = self
        pieces.cut(bytes) { piece in
            decoder.feed(piece)
            do throws(FramingError) {
                while let event = try decoder.nextEvent() { read.take(event) }
                return true
            } catch {
                read.ending = Ending(error)
                return false
            }
        }
        self = read
        quirks = decoder.quirks
        unparsable = decoder.unparsableCount
        isEmpty = decoder.isEmpty
        promise(decoder.parsedBytes <= bytes.count, "no more was parsed than came")
    }

    private mutating func take(_ event: DecodedEvent) {
        switch event {
        case .response(let response):
            promise(streamed.last.map { $0.isWhole } ?? true, "a literal ends before its response does")
            responses.append(response)
        case .body(let chunk):
            if chunk.offset == 0 {
                promise(streamed.last.map { $0.isWhole } ?? true, "a literal ends before the next begins")
                streamed.append(StreamedLiteral(chunk, before: responses.count))
            }
            guard let last = streamed.indices.last else {
                return promise(false, "a literal begins at its first octet")
            }
            streamed[last].append(chunk)
        }
    }
}

/// A literal that came in pieces.
public struct StreamedLiteral: Equatable {
    public let sequenceNumber: UInt32
    public let uid: UInt32?
    public let section: String
    public let origin: UInt32?
    public let total: Int
    /// The place of the response that it belongs to.
    public let response: Int
    public private(set) var octets: [UInt8] = []

    init(_ chunk: BodyChunk, before response: Int) {
        sequenceNumber = chunk.sequenceNumber
        uid = chunk.uid
        section = chunk.section
        origin = chunk.origin
        total = chunk.total
        self.response = response
        promise(uid != 0, "no message has the UID 0")
    }

    public var isWhole: Bool { octets.count == total }

    mutating func append(_ chunk: BodyChunk) {
        promise(chunk.offset == octets.count, "a piece follows the one before it")
        promise(chunk.total == total && chunk.section == section, "a piece belongs to its literal")
        octets += chunk.bytes.readableBytesView
        promise(octets.count <= total, "a literal is no longer than it said")
        promise(chunk.isLast == isWhole, "the last piece says so")
    }
}

/// Limits that a small input reaches.
public let tightLimits: ResponseLimits = {
    var limits = ResponseLimits()
    limits.line = 64
    limits.numberLine = 128
    limits.responseText = 160
    limits.literal = 40
    limits.body = 24
    limits.omitted = 200
    limits.literals = 4
    limits.nesting = 4
    limits.items = 16
    limits.parts = 3
    limits.numbers = 8
    return limits
}()
