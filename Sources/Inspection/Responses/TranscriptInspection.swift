import IMAPProtocol
public import Models
import NIOCore

/// Reads the bytes that an IMAP server sent, in pieces of any size, and returns one ``ResponseInspection`` for each
/// response.
///
/// It keeps only the current response, and only hashes of long message data. Bytes that are not a transcript are
/// refused before it returns anything.
public struct TranscriptInspection: Sendable {
    /// Message data of at least this many bytes is hashed as it comes.
    private static let streamedFrom = 16 << 10
    /// The number of responses after which it must be clear that this is IMAP.
    private static let patience = 64

    private let name: String
    private var decoder = ResponseDecoder()
    private var places = ResponsePlaces()
    private var streamed: [StreamedSection] = []
    private var seenQuirks = QuirkCounts()
    /// Responses held back until it is clear that this is a transcript; nil: it is clear.
    private var held: [ResponseInspection]? = []
    /// Why reading has ended. Thrown after the earlier responses were returned.
    private var problem: Problem?
    /// The number of responses in the transcript.
    public private(set) var count = 0
    public var unparsableCount: Int { decoder.unparsableCount }
    public var quirks: [(name: String, count: Int)] {
        decoder.quirks.seen.map { ($0.rawValue, decoder.quirks[$0]) }
    }

    /// - Parameter file: The argument as typed; `-` for standard input.
    public init(file: String) {
        name = file == "-" ? "standard input" : file
        decoder.streamThreshold = Self.streamedFrom
    }

    /// The responses that end in this piece.
    ///
    /// - Throws: The error in the previous piece: `not-a-transcript`, or `transcript-limit` if a session would have
    ///   ended.
    public mutating func feed(_ bytes: ArraySlice<UInt8>) throws(Problem) -> [ResponseInspection] {
        if let problem { throw problem }
        places.feed(bytes)
        decoder.feed(ByteBuffer(bytes: bytes))
        var found: [ResponseInspection] = []
        do throws(FramingError) {
            while let event = try decoder.nextEvent() {
                switch event {
                case .body(let chunk): take(chunk)
                case .response(let response): found += show(take(response), as: response)
                }
            }
        } catch {
            problem = held == nil ? Self.limit(error, name, places.start) : notATranscript
        }
        if let held, held.count >= Self.patience { problem = notATranscript }
        return found
    }

    /// The rest at the end: a last line without its line end, or the beginning of a response.
    public mutating func finish() throws(Problem) -> [ResponseInspection] {
        if let problem { throw problem }
        let missing = places.pending
        var last: [ResponseInspection] = []
        if missing > 0 {
            var ended = self
            last = try ended.feed([0x0D, 0x0A])
            if ended.count == count + 1, ended.unparsableCount == unparsableCount {
                self = ended
                if let index = last.indices.last { last[index].length = missing }
            } else {
                last = [ResponseInspection(kind: "incomplete", offset: places.start, length: missing)]
            }
        }
        guard let waiting = held else { return last }
        // A server may have sent only `+ go ahead`; `+OK` is POP3.
        let all = waiting + last
        let isIMAP = all.allSatisfy { $0.kind == "continuation" && $0.text?.hasPrefix("OK") != true }
        guard !all.isEmpty, isIMAP else { throw notATranscript }
        return all
    }

    // MARK: Events

    private mutating func take(_ chunk: BodyChunk) {
        if chunk.offset == 0 { streamed.append(StreamedSection(chunk)) }
        guard let last = streamed.indices.last else { return }
        streamed[last].append(chunk.bytes)
    }

    private mutating func take(_ response: Response) -> ResponseInspection {
        defer { streamed = [] }
        count += 1
        var inspection = ResponseInspection(response, at: places.next(), streamed: streamed)
        inspection.quirks = newQuirks()
        return inspection
    }

    /// The quirks since the previous response.
    private mutating func newQuirks() -> [String: Int] {
        let before = seenQuirks
        guard before != decoder.quirks else { return [:] }
        seenQuirks = decoder.quirks
        let grown = seenQuirks.seen.filter { seenQuirks[$0] > before[$0] }
        return Dictionary(
            grown.map { ($0.rawValue, seenQuirks[$0] - before[$0]) }, uniquingKeysWith: { $0 + $1 })
    }

    /// The responses to return now: none until it is clear that this is IMAP.
    private mutating func show(
        _ inspection: ResponseInspection, as response: Response
    ) -> [ResponseInspection] {
        guard let before = held else { return [inspection] }
        guard response.isEvidence, before.count < Self.patience else {
            if before.count < Self.patience { held = before + [inspection] }
            return []
        }
        held = nil
        return before + [inspection]
    }

    // MARK: Problems

    private var notATranscript: Problem {
        Problem(
            "not-a-transcript", exit: .badData, message: "\(name) is not a transcript of an IMAP server",
            details: ["expected: the bytes of a server as they came, such as * OK ready"],
            next: ["leave out the client's lines, and marks such as \"S: \" before the server's"])
    }

    /// Does not name the size of a long line, because it depends on the pieces.
    private static func limit(_ error: FramingError, _ name: String, _ offset: Int) -> Problem {
        let reason =
            switch error {
            case .lineTooLong, .responseTooLong: "the lines of a response are longer than any server needs"
            case .literalTooLong, .tooManyLiterals: error.description
            }
        return Problem(
            "transcript-limit", exit: .badData, message: "a session would end here: \(reason)",
            place: "\(name), byte \(offset)")
    }
}

extension Response {
    /// Whether only an IMAP server is likely to send this. Other protocols have lines with `+`, and lists in texts
    /// begin with `*`.
    fileprivate var isEvidence: Bool {
        switch self {
        case .continuation, .untagged(.blank), .untagged(.other): false
        case .untagged(.unparsable(let lost)): !lost.keyword.isEmpty
        case .tagged, .untagged: true
        }
    }
}

/// The positions of the responses in a transcript.
///
/// It has its own framer, which gets one line at a time, so that a response ends where a line ends.
private struct ResponsePlaces: Sendable {
    private var framer: ResponseFramer
    private var position = 0
    private var found: [Range<Int>] = []
    /// The beginning of the incomplete response.
    private(set) var start = 0
    private var isOver = false

    init() {
        var limits = ResponseLimits.standard
        // Skips message data.
        limits.body = 0
        framer = ResponseFramer(limits: limits)
    }

    /// The number of bytes that do not belong to a complete response.
    var pending: Int { position - start }

    mutating func feed(_ bytes: ArraySlice<UInt8>) {
        var rest = bytes
        while !rest.isEmpty, !isOver {
            let end = rest.firstIndex(of: 0x0A).map { $0 + 1 } ?? rest.endIndex
            framer.feed(ByteBuffer(bytes: rest[..<end]))
            position += end - rest.startIndex
            rest = rest[end...]
            takeFrames()
        }
        found.reverse()
    }

    private mutating func takeFrames() {
        do throws(FramingError) {
            while try framer.next() != nil {
                found.append(start..<position)
                start = position
            }
        } catch {
            // The decoder reads the same bytes and reports the error.
            isOver = true
        }
    }

    /// The position of the next response of the decoder.
    mutating func next() -> Range<Int> { found.popLast() ?? start..<start }
}
