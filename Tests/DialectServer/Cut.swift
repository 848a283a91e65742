/// Where the answer to a command is cut off, and what comes instead of the rest.
///
/// One fault of the network in two words: a place and an ending. `Tests/DialectTests/FaultMatrix*.swift` plays all of
/// them at every command.
public struct Cut: Hashable, Sendable, CustomStringConvertible {
    public enum Place: Hashable, Sendable {
        /// The command is not carried out, and nothing of the answer comes.
        case beforeDoing
        /// Carried out, and nothing of the answer comes.
        case afterDoing
        case afterOctets(Int)
        /// In the middle of the first literal; half-way where there is none.
        case insideLiteral
        /// All untagged responses come, the tagged one does not.
        case afterUntagged
        case afterTagged
    }

    public enum Ending: String, CaseIterable, Sendable {
        /// FIN.
        case close
        /// RST.
        case reset
        /// Nothing more, and the connection stays.
        case stall
        /// Octets that no grammar knows, then FIN.
        case garbage
        case bye
        case no
        case bad
    }

    public var place: Place
    public var ending: Ending

    public init(_ place: Place, _ ending: Ending) {
        self.place = place
        self.ending = ending
    }

    public var description: String { "\(ending.rawValue) \(place)" }
}

extension Session {
    /// Says what is left of an answer.
    mutating func cut(_ cut: Cut, _ reply: Reply, tag: String, _ output: inout Output) {
        var lines = reply.untagged
        let hasEnd = !reply.isWithoutEnd && (mode == .command || mode == .over)
        if hasEnd { lines.append(reply.end(tag: tag)) }
        let whole = Array(lines.map { $0 + [0x0D, 0x0A] }.joined())
        let untagged = reply.untagged.reduce(0) { $0 + $1.count + 2 }
        switch cut.place {
        case .beforeDoing, .afterDoing: break
        case .afterOctets(let count): output.bytes += whole.prefix(count)
        case .insideLiteral: output.bytes += whole.prefix(Self.middleOfLiteral(whole))
        case .afterUntagged: output.bytes += whole.prefix(untagged)
        case .afterTagged: output.bytes += whole
        }
        end(cut.ending, tag: tag, &output)
        if reply.closes { output.closes = true }
    }

    private mutating func end(_ ending: Cut.Ending, tag: String, _ output: inout Output) {
        switch ending {
        case .no: output.bytes += Array("\(tag) NO [UNAVAILABLE] not now\r\n".utf8)
        case .bad: output.bytes += Array("\(tag) BAD not understood\r\n".utf8)
        case .stall: mode = .over
        case .close, .reset:
            output.closes = true
            output.resets = ending == .reset
            mode = .over
        case .garbage, .bye:
            output.bytes += ending == .bye ? Array("* BYE the server is going down\r\n".utf8) : Self.garbage
            output.closes = true
            mode = .over
        }
    }

    private static let garbage: [UInt8] = [0x00, 0xFF, 0x25, 0x26, 0x21, 0x20, 0x28, 0x28, 0x0D, 0x0A]

    private static func middleOfLiteral(_ bytes: [UInt8]) -> Int {
        guard let open = bytes.firstIndex(of: UInt8(ascii: "{")),
            let close = bytes[open...].firstIndex(of: UInt8(ascii: "}")),
            let count = Int(String(decoding: bytes[(open + 1)..<close], as: UTF8.self))
        else { return bytes.count / 2 }
        return min(bytes.count, close + 3 + count / 2)
    }
}
