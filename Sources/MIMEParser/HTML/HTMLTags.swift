/// Returns the tags of HTML and the text between them, in linear time and without a tree.
///
/// Comments end as in HTML5 (`<!-->` is a complete one): an attacker could use any difference.
struct HTMLTags {
    enum Token {
        case text(Range<Int>)
        case start(name: Range<Int>, attributes: Int)
        case end(name: Range<Int>)
        /// A comment, a declaration, an instruction.
        case other
    }

    struct Attribute {
        var name: Range<Int>
        /// Without quotes, not decoded.
        var value: Range<Int>
    }

    let bytes: [UInt8]
    private(set) var index = 0
    /// The first two hundred attributes of the last tag.
    private(set) var attributes: [Attribute] = []
    /// Whether parsers have to repair the last tag.
    private(set) var isIrregular = false

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
            _ = readAttributes()
            return .end(name: name)
        case let byte where byte.isLetter:
            index += 1
            let name = name()
            return .start(name: name, attributes: readAttributes())
        case _: return text(from: start)
        }
    }

    /// Continues at the end tag of a raw text element, or at the end of the bytes.
    mutating func skipRawText(until name: ArraySlice<UInt8>) {
        while let less = LineReader.find(ASCII.less, in: bytes, from: index, to: bytes.count) {
            let end = less + 2 + name.count
            if end < bytes.count, bytes[less + 1] == ASCII.slash, endsName(bytes[end]),
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

    private func endsName(_ byte: UInt8) -> Bool {
        byte == ASCII.greater || byte == ASCII.slash || Self.isSpace(byte)
    }

    private mutating func name() -> Range<Int> {
        let start = index
        isIrregular = false
        while index < bytes.count {
            let byte = bytes[index]
            if endsName(byte) { break }
            if byte == ASCII.less || byte == ASCII.quote || byte >= 0x80 { isIrregular = true }
            index += 1
        }
        return start..<index
    }

    /// Counts the attributes and moves past the `>`.
    private mutating func readAttributes() -> Int {
        var count = 0
        attributes.removeAll(keepingCapacity: true)
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
            let attribute = attribute()
            if count <= 200 { attributes.append(attribute) }
        }
        isIrregular = true
        return count
    }

    private mutating func attribute() -> Attribute {
        let name = attributeName()
        var ahead = index
        while ahead < bytes.count, Self.isSpace(bytes[ahead]) { ahead += 1 }
        guard ahead < bytes.count, bytes[ahead] == ASCII.equals else {
            return Attribute(name: name, value: index..<index)
        }
        ahead += 1
        while ahead < bytes.count, Self.isSpace(bytes[ahead]) { ahead += 1 }
        index = ahead
        guard index < bytes.count else { return Attribute(name: name, value: index..<index) }
        let quote = bytes[index]
        if quote == ASCII.quote || quote == 0x27 {
            let start = index + 1
            index = start
            skip(past: quote)
            let isClosed = index > start && bytes[index - 1] == quote
            if !isClosed { isIrregular = true }
            return Attribute(name: name, value: start..<max(start, isClosed ? index - 1 : index))
        }
        return Attribute(name: name, value: unquotedValue())
    }

    private mutating func attributeName() -> Range<Int> {
        let start = index
        // A leading `=` belongs to the name.
        if bytes[index] == ASCII.equals { isIrregular = true }
        repeat {
            switch bytes[index] {
            case ASCII.quote, 0x27, ASCII.less: isIrregular = true
            case _: break
            }
            index += 1
        } while index < bytes.count && !endsName(bytes[index]) && bytes[index] != ASCII.equals
        return start..<index
    }

    private mutating func unquotedValue() -> Range<Int> {
        let start = index
        while index < bytes.count, !Self.isSpace(bytes[index]), bytes[index] != ASCII.greater {
            switch bytes[index] {
            case ASCII.quote, 0x27, ASCII.less, ASCII.equals, 0x60: isIrregular = true
            case _: break
            }
            index += 1
        }
        if index == start { isIrregular = true }
        return start..<index
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == ASCII.space || byte == ASCII.tab || byte == ASCII.lf || byte == ASCII.cr || byte == 0x0C
    }
}
