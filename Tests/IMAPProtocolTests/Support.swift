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
