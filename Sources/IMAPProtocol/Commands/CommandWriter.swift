public import NIOCore

/// How a server accepts literals. RFC 3501 §4.3, RFC 7888.
public enum LiteralSupport: Equatable, Sendable {
    /// The client announces the literal and waits for `+`.
    case synchronizing
    /// LITERAL-: the client sends up to 4,096 octets without waiting.
    case minus
    /// LITERAL+: the client sends without waiting. Above 64 KiB it waits anyway, so that the server can refuse.
    case plus

    public init(_ capabilities: Set<Capability>) {
        if capabilities.contains(.literalPlus) {
            self = .plus
        } else if capabilities.contains(.literalMinus) {
            self = .minus
        } else {
            self = .synchronizing
        }
    }

    func goesAtOnce(_ length: Int) -> Bool {
        switch self {
        case .synchronizing: false
        case .minus: length <= 4_096
        case .plus: length <= 65_536
        }
    }
}

/// A command as bytes to send. They may contain a password, so the description shows only the tag and the name.
public struct EncodedCommand: Equatable, Sendable {
    public enum Piece: Equatable, Sendable {
        case send(ByteBuffer)
        /// Wait for the server's `+` before sending more. A tagged response ends the command instead.
        case waitForContinuation
    }

    public let tag: CommandTag
    /// `UID FETCH`
    public let name: String
    public let pieces: [Piece]

    /// The longest of the pieces that are lines, in octets.
    var longestLine: Int {
        pieces.reduce(0) { longest, piece in
            guard case .send(let bytes) = piece else { return longest }
            return max(longest, bytes.readableBytes)
        }
    }
}

extension EncodedCommand: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "\(tag) \(name)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}

/// Writes one command, word by word, and decides how to send each string.
struct CommandWriter {
    /// The longest quoted string in octets. Longer strings become literals, because servers limit quoted strings more
    /// strictly.
    static let longestQuoted = 1_000

    private let tag: CommandTag
    private let name: String
    private let literals: LiteralSupport
    private let lineLimit: Int
    /// Whether mailbox names and search texts are UTF-8. RFC 6855 §3.
    let isUTF8: Bool
    private var pieces: [EncodedCommand.Piece] = []
    private var line = ByteBuffer()

    init(tag: CommandTag, name: String, literals: LiteralSupport, lineLimit: Int, isUTF8: Bool) {
        self.isUTF8 = isUTF8
        self.tag = tag
        self.name = name
        self.literals = literals
        self.lineLimit = lineLimit
        line.writeString("\(tag) \(name)")
    }

    /// A space and text that needs no quoting: keywords, numbers, sets.
    mutating func words(_ text: String) {
        line.writeString(" " + text)
    }

    /// A space and a word that must be an atom: the name of a mechanism or of a capability.
    mutating func atom(_ text: String) throws(EncodingError) {
        guard !text.isEmpty, text.utf8.count <= 100,
            text.utf8.allSatisfy({ $0.isAtomCharacter && $0 != .closeBracket })
        else { throw .invalidWord(text) }
        words(text)
    }

    /// A space and a set of messages, which must not be empty.
    mutating func write(_ uids: UIDSet) throws(EncodingError) {
        guard !uids.isEmpty else { throw .emptySet(command: name) }
        words(uids.description)
    }

    /// A space and a string as atom, quoted string or literal, whichever is the simplest that can carry it.
    mutating func astring(_ bytes: [UInt8]) throws(EncodingError) {
        line.writeString(" ")
        if !bytes.isEmpty, bytes.count <= Self.longestQuoted, !bytes.elementsEqual("NIL".utf8),
            bytes.allSatisfy({ $0.isAtomCharacter || $0 == .closeBracket })
        {
            line.writeBytes(bytes)
        } else {
            try stringBody(bytes)
        }
    }

    /// A space and the name of a mailbox, which we hold as modified UTF-7 whatever the session speaks.
    mutating func mailbox(_ name: [UInt8]) throws(EncodingError) {
        guard isUTF8 else { return try astring(name) }
        let text = ModifiedUTF7.utf8(of: name)
        guard text.contains(where: { $0 >= 0x80 }), text.count <= Self.longestQuoted else {
            return try astring(text)
        }
        guard !text.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            return try literal(ByteBuffer(bytes: text))
        }
        line.writeString(" ")
        writeQuoted(text)
    }

    /// A string inside parentheses, with a space before it unless it is the first.
    mutating func quoted(_ text: String, first: Bool) throws(EncodingError) {
        try quoted(Array(text.utf8), first: first)
    }

    mutating func quoted(_ bytes: [UInt8], first: Bool) throws(EncodingError) {
        if !first { line.writeString(" ") }
        try stringBody(bytes)
    }

    mutating func close(_ text: String) { line.writeString(text) }

    /// A space and a string in quotes, or as a literal.
    mutating func string(_ bytes: [UInt8]) throws(EncodingError) {
        line.writeString(" ")
        try stringBody(bytes)
    }

    private mutating func stringBody(_ bytes: [UInt8]) throws(EncodingError) {
        guard bytes.count <= Self.longestQuoted, bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
            return try literalBody(ByteBuffer(bytes: bytes))
        }
        writeQuoted(bytes)
    }

    private mutating func writeQuoted(_ bytes: [UInt8]) {
        line.writeInteger(UInt8.quote)
        for byte in bytes {
            if byte == .quote || byte == .backslash { line.writeInteger(UInt8.backslash) }
            line.writeInteger(byte)
        }
        line.writeInteger(UInt8.quote)
    }

    /// A space and a literal. NUL may not travel in one. RFC 3501 §9 (`CHAR8`).
    mutating func literal(_ bytes: ByteBuffer) throws(EncodingError) {
        line.writeString(" ")
        try literalBody(bytes)
    }

    /// A literal that may hold any octet, NUL too. RFC 3516 §4.4, RFC 6855 §4.
    mutating func literal8(_ bytes: ByteBuffer) throws(EncodingError) {
        line.writeString("~")
        try announced(bytes)
    }

    private mutating func literalBody(_ bytes: ByteBuffer) throws(EncodingError) {
        if let place = bytes.readableBytesView.firstIndex(of: 0) {
            throw .nul(command: name, offset: place - bytes.readableBytesView.startIndex)
        }
        try announced(bytes)
    }

    private mutating func announced(_ bytes: ByteBuffer) throws(EncodingError) {
        let atOnce = literals.goesAtOnce(bytes.readableBytes)
        line.writeString("{\(bytes.readableBytes)\(atOnce ? "+" : "")}\r\n")
        try flushLine()
        if !atOnce { pieces.append(.waitForContinuation) }
        pieces.append(.send(bytes))
    }

    mutating func finish() throws(EncodingError) -> EncodedCommand {
        line.writeString("\r\n")
        try flushLine()
        return EncodedCommand(tag: tag, name: name, pieces: pieces)
    }

    private mutating func flushLine() throws(EncodingError) {
        guard line.readableBytes - 2 <= lineLimit else {
            throw .lineTooLong(command: name, actual: line.readableBytes - 2, maximum: lineLimit)
        }
        pieces.append(.send(line))
        line = ByteBuffer()
    }
}

/// A command that cannot be sent as it is.
public enum EncodingError: Error, Equatable, Sendable, CustomStringConvertible {
    case lineTooLong(command: String, actual: Int, maximum: Int)
    case nul(command: String, offset: Int)
    case invalidFlag(String)
    case invalidFieldName(String)
    case emptySet(command: String)
    case invalidSection(String)
    /// A word that is not an atom, where only an atom can travel.
    case invalidWord(String)
    /// More octets than the server takes in one APPEND. RFC 7889 §3.
    case tooLarge(actual: Int, maximum: UInt64)

    public var description: String {
        switch self {
        case .lineTooLong(let command, let actual, let maximum):
            "\(command) would be a line of \(actual) bytes; servers take \(maximum): use smaller sets"
        case .nul(let command, let offset):
            "\(command) would carry a NUL character at byte \(offset), which IMAP cannot"
        case .invalidFlag(let flag):
            "\(flag) is not a flag or keyword: use letters, digits and hyphens"
        case .invalidFieldName(let name):
            "\(name) is not the name of a header field"
        case .emptySet(let command):
            "\(command) needs at least one message"
        case .invalidSection(let section):
            "\(section) is not a section of a message: use numbers with dots between them"
        case .invalidWord(let word):
            "\(word) cannot be a word in IMAP: use letters, digits and hyphens"
        case .tooLarge(let actual, let maximum):
            "the message has \(actual) octets; the server takes \(maximum) at most"
        }
    }
}
