import IMAPProtocol
public import Models
import NIOCore

/// Reads what an IMAP server said, from the bytes as they came: pieces in, one ``ResponseInspection`` a response out.
///
/// How the bytes are cut makes no difference. Nothing but the response at hand is kept, and of long message data only
/// its sum. Bytes that are not a transcript are refused before anything comes out.
public struct TranscriptInspection: Sendable {
    /// Message data from this size on is hashed as it comes.
    private static let streamedFrom = 16 << 10
    /// Responses after which it must be clear that this is IMAP.
    private static let patience = 64

    private let name: String
    private var decoder = ResponseDecoder()
    private var places = ResponsePlaces()
    private var streamed: [StreamedSection] = []
    private var seenQuirks = QuirkCounts()
    /// What is not shown yet, because nothing tells so far that this is a transcript; nil once something does.
    private var held: [ResponseInspection]? = []
    /// Why nothing more is read; thrown once the responses before it are out.
    private var problem: Problem?
    /// Of the whole transcript.
    public private(set) var count = 0
    public var unparsableCount: Int { decoder.unparsableCount }
    public var quirks: [(name: String, count: Int)] {
        decoder.quirks.seen.map { ($0.rawValue, decoder.quirks[$0]) }
    }

    /// - Parameter file: as it was typed; `-` for standard input.
    public init(file: String) {
        name = file == "-" ? "standard input" : file
        decoder.streamThreshold = Self.streamedFrom
    }

    /// The responses that end in this piece.
    ///
    /// - Throws: what was wrong with the piece before: `not-a-transcript`, or `transcript-limit` where a session would
    ///   have ended.
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

    /// The end: what is left is a last line without its end, or the beginning of a response.
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
        // A server may have said nothing but `+ go ahead`; `+OK` is POP3.
        let all = waiting + last
        let isIMAP = all.allSatisfy { $0.kind == "continuation" && $0.text?.hasPrefix("OK") != true }
        guard !all.isEmpty, isIMAP else { throw notATranscript }
        return all
    }

    // MARK: One event

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

    /// What was counted since the response before.
    private mutating func newQuirks() -> [String: Int] {
        let before = seenQuirks
        guard before != decoder.quirks else { return [:] }
        seenQuirks = decoder.quirks
        let grown = seenQuirks.seen.filter { seenQuirks[$0] > before[$0] }
        return Dictionary(
            grown.map { ($0.rawValue, seenQuirks[$0] - before[$0]) }, uniquingKeysWith: { $0 + $1 })
    }

    /// What can be shown now: nothing until something tells that a server of IMAP is speaking.
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
            details: ["expected are the bytes of a server as they came, such as: * OK ready"],
            next: ["leave out the client's lines, and marks such as \"S: \" before the server's"])
    }

    /// The size that a line had when it was found too long depends on the pieces, so it is not named.
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
    /// Whether hardly anything but a server of IMAP says so. Other protocols have lines with `+`, and lists in texts
    /// begin with `*`.
    fileprivate var isEvidence: Bool {
        switch self {
        case .continuation, .untagged(.blank), .untagged(.other): false
        case .untagged(.unparsable(let lost)): !lost.keyword.isEmpty
        case .tagged, .untagged: true
        }
    }
}

/// Where the responses of a transcript begin and end.
///
/// A framer of its own, fed line by line: what comes out of it ends where the line does.
private struct ResponsePlaces: Sendable {
    private var framer: ResponseFramer
    private var position = 0
    private var found: [Range<Int>] = []
    /// Where the response begins that has not ended yet.
    private(set) var start = 0
    private var isOver = false

    init() {
        var limits = ResponseLimits.standard
        // Message data is stepped over.
        limits.body = 0
        framer = ResponseFramer(limits: limits)
    }

    /// Bytes that belong to no whole response yet.
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
            // The decoder, which reads the same bytes, reports it.
            isOver = true
        }
    }

    /// Of the next response that the decoder brings.
    mutating func next() -> Range<Int> { found.popLast() ?? start..<start }
}
