import NIOCore

@testable import IMAPProtocol

/// Everything the bytes say, fed in pieces of that size.
func decode(
    _ bytes: [UInt8], pieces size: Int = .max, limits: ResponseLimits = .standard
) throws(FramingError) -> (responses: [Response], decoder: ResponseDecoder) {
    var decoder = ResponseDecoder(limits: limits)
    var responses: [Response] = []
    var rest = bytes[...]
    while !rest.isEmpty {
        decoder.feed(ByteBuffer(bytes: rest.prefix(size)))
        rest = rest.dropFirst(size)
        while let response = try decoder.next() { responses.append(response) }
    }
    return (responses, decoder)
}

func decode(_ text: String, limits: ResponseLimits = .standard) throws -> [Response] {
    try decode(Array(text.utf8), limits: limits).responses
}

extension ResponseLimits {
    init(_ change: (inout ResponseLimits) -> Void) {
        self.init()
        change(&self)
    }
}

/// What one command puts on the wire; `⏸` where it waits for the server.
func wire(
    _ command: Command, literals: LiteralSupport = .synchronizing, isUTF8: Bool = false
) throws(EncodingError) -> String {
    let encoded = try command.encode(tag: CommandTag(rawValue: "A1"), literals: literals, isUTF8: isUTF8)
    return encoded.pieces.map { piece in
        switch piece {
        case .send(let buffer): String(buffer: buffer)
        case .waitForContinuation: "⏸"
        }
    }.joined()
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

/// Numbers that look random and are the same in each run.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
