/// Walks over HTML and hands out tags and the text between them, in linear time and without a tree.
///
/// Comments end as HTML5 says they end (`<!-->` is a whole one): a reader that differs there can be lied to.
struct HTMLTags {
    enum Token {
        case text(Range<Int>)
        case start(name: Range<Int>, attributes: Int)
        case end(name: Range<Int>)
        /// A comment, a declaration, an instruction.
        case other
    }

    private let bytes: [UInt8]
    private(set) var index = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func next() -> Token? {
        guard index < bytes.count else { return nil }
        let start = index
        if bytes[index] != ASCII.less { return text(from: start) }
        guard index + 1 < bytes.count else {
            index += 1
            return .text(start..<index)
        }
        switch bytes[index + 1] {
        case UInt8(ascii: "!"), ASCII.question: return declaration()
        case ASCII.slash:
            guard index + 2 < bytes.count else { return text(from: start) }
            guard bytes[index + 2].isLetter else {
                skip(past: ASCII.greater)
                return .other
            }
            index += 2
            let name = name()
            _ = attributes()
            return .end(name: name)
        case let byte where byte.isLetter:
            index += 1
            let name = name()
            return .start(name: name, attributes: attributes())
        case _: return text(from: start)
        }
    }

    /// Goes on at the end tag of a raw text element, or at the end of the bytes.
    mutating func skipRawText(until name: ArraySlice<UInt8>) {
        while let less = LineReader.find(ASCII.less, in: bytes, from: index, to: bytes.count) {
            let end = less + 2 + name.count
            if end <= bytes.count, bytes[less + 1] == ASCII.slash,
                bytes[(less + 2)..<end].elementsEqual(name, by: { $0.lowercasedASCII == $1.lowercasedASCII })
            {
                index = less
                return
            }
            index = less + 1
        }
        index = bytes.count
    }

    private mutating func text(from start: Int) -> Token {
        index = LineReader.find(ASCII.less, in: bytes, from: start + 1, to: bytes.count) ?? bytes.count
        return .text(start..<index)
    }

    private mutating func declaration() -> Token {
        guard bytes[index...].hasPrefix("<!--") else {
            skip(past: ASCII.greater)
            return .other
        }
        index += 4
        if bytes[index...].hasPrefix(">") || bytes[index...].hasPrefix("->") {
            skip(past: ASCII.greater)
            return .other
        }
        while let dash = LineReader.find(ASCII.hyphen, in: bytes, from: index, to: bytes.count) {
            index = dash
            if bytes[index...].hasPrefix("-->") || bytes[index...].hasPrefix("--!>") {
                skip(past: ASCII.greater)
                return .other
            }
            index += 1
        }
        index = bytes.count
        return .other
    }

    private mutating func skip(past byte: UInt8) {
        index = (LineReader.find(byte, in: bytes, from: index, to: bytes.count) ?? bytes.count - 1) + 1
    }

    private mutating func name() -> Range<Int> {
        let start = index
        while index < bytes.count, !Self.isSpace(bytes[index]), bytes[index] != ASCII.slash,
            bytes[index] != ASCII.greater
        {
            index += 1
        }
        return start..<index
    }

    /// Counts the attributes and goes behind the `>`.
    private mutating func attributes() -> Int {
        var count = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == ASCII.greater {
                index += 1
                return count
            }
            if Self.isSpace(byte) || byte == ASCII.slash {
                index += 1
                continue
            }
            count += 1
            attribute()
        }
        return count
    }

    private mutating func attribute() {
        // A leading `=` belongs to the name.
        index += 1
        while index < bytes.count, !Self.isSpace(bytes[index]), bytes[index] != ASCII.slash,
            bytes[index] != ASCII.greater, bytes[index] != ASCII.equals
        {
            index += 1
        }
        var ahead = index
        while ahead < bytes.count, Self.isSpace(bytes[ahead]) { ahead += 1 }
        guard ahead < bytes.count, bytes[ahead] == ASCII.equals else { return }
        ahead += 1
        while ahead < bytes.count, Self.isSpace(bytes[ahead]) { ahead += 1 }
        index = ahead
        guard index < bytes.count else { return }
        let quote = bytes[index]
        if quote == ASCII.quote || quote == 0x27 {
            index += 1
            skip(past: quote)
            return
        }
        while index < bytes.count, !Self.isSpace(bytes[index]), bytes[index] != ASCII.greater { index += 1 }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == ASCII.space || byte == ASCII.tab || byte == ASCII.lf || byte == ASCII.cr || byte == 0x0C
    }
}
