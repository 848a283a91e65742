/// A command of a Sieve script: a control, an action, or `if` with its block. RFC 5228 §2.9.
struct SieveCommand {
    var name: String
    var arguments: [SieveArgument]
    var tests: [SieveTest]
    var block: [SieveCommand]?
    /// From its name to its `;` or to the end of its test.
    var range: Range<Int>
    /// The comment above it.
    var comment: String?
}

/// A test of a Sieve script. RFC 5228 §5.
struct SieveTest {
    var name: String
    var arguments: [SieveArgument]
    var tests: [SieveTest]
    var range: Range<Int>
}

/// An argument of a command or a test. RFC 5228 §2.6.
enum SieveArgument: Hashable {
    /// In lower case, without the colon.
    case tag(String)
    case number(Int)
    /// A list; a single string is a list of one.
    case strings([String])
}

/// Splits a Sieve script into tokens. RFC 5228 §8.1.
struct SieveLexer {
    static let longestString = 100_000

    enum Token: Hashable {
        case identifier(String)
        case tag(String)
        case number(Int)
        case string(String)
        /// One of `; , ( ) [ ] { }`.
        case sign(Character)
        case end
    }

    let source: SourceText
    private var index = 0
    /// The comments since the last token, one line each.
    private(set) var comments: [String] = []

    init(_ source: SourceText) { self.source = source }

    private func byte(_ index: Int) -> UInt8? { index < source.bytes.count ? source.bytes[index] : nil }

    /// The next token and its position.
    mutating func next() throws(ImportError) -> (token: Token, range: Range<Int>) {
        comments = []
        try skipBlanks()
        let start = index
        guard let first = byte(index) else { return (.end, start..<start) }
        let token: Token
        switch first {
        case UInt8(ascii: ";"), UInt8(ascii: ","), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "["),
            UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"):
            index += 1
            token = .sign(Character(Unicode.Scalar(first)))
        case UInt8(ascii: "\""): token = .string(try quoted())
        case UInt8(ascii: ":"):
            index += 1
            guard let next = byte(index), Self.isLetter(next) else {
                throw source.error(start, "a tag needs a name")
            }
            token = .tag(word().lowercased())
        case UInt8(ascii: "0")...UInt8(ascii: "9"): token = .number(try number())
        case _ where Self.isLetter(first):
            let word = word()
            token =
                word.lowercased() == "text" && byte(index) == UInt8(ascii: ":")
                ? .string(try multiline(start)) : .identifier(word.lowercased())
        case _: throw source.error(start, "'\(source.piece(start..<(start + 1)))' is not expected here")
        }
        return (token, start..<index)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || byte == 0x5F
    }

    private mutating func word() -> String {
        let start = index
        while let byte = byte(index), Self.isLetter(byte) || (0x30...0x39).contains(byte) { index += 1 }
        return source.text(start..<index)
    }

    private mutating func skipBlanks() throws(ImportError) {
        while let byte = byte(index) {
            switch byte {
            case 0x20, 0x09, 0x0A, 0x0D, 0x0C: index += 1
            case UInt8(ascii: "#"):
                let start = index + 1
                while let byte = self.byte(index), byte != 0x0A { index += 1 }
                comments.append(source.piece(start..<index))
            case UInt8(ascii: "/") where self.byte(index + 1) == UInt8(ascii: "*"): try skipBracketComment()
            case _: return
            }
        }
    }

    private mutating func skipBracketComment() throws(ImportError) {
        let start = index
        index += 2
        while byte(index) != UInt8(ascii: "*") || byte(index + 1) != UInt8(ascii: "/") {
            guard index < source.bytes.count else { throw source.error(start, "this comment is not closed") }
            index += 1
        }
        comments.append(source.piece((start + 2)..<index))
        index += 2
    }

    /// `\"` and `\\`; before anything else a backslash is nothing.
    private mutating func quoted() throws(ImportError) -> String {
        let start = index
        index += 1
        var bytes: [UInt8] = []
        while let byte = byte(index), byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\") { index += 1 }
            if let byte = self.byte(index) { bytes.append(byte) }
            index += 1
            try check(bytes.count, start)
        }
        guard index < source.bytes.count else { throw source.error(start, "this string is not closed") }
        index += 1
        return String(decoding: bytes, as: UTF8.self)
    }

    private func check(_ count: Int, _ start: Int) throws(ImportError) {
        if count > Self.longestString {
            throw source.error(start, "this string is longer than \(Self.longestString) bytes")
        }
    }

    /// `text:`, lines, and a dot alone; a dot at the beginning of a line is doubled.
    private mutating func multiline(_ start: Int) throws(ImportError) -> String {
        index += 1
        while let byte = byte(index), byte != 0x0A {
            guard byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == UInt8(ascii: "#") else {
                throw source.error(index, "the text begins on the next line")
            }
            if byte == UInt8(ascii: "#") {
                while let next = self.byte(index), next != 0x0A { index += 1 }
            } else {
                index += 1
            }
        }
        index += 1
        var lines: [String] = []
        while index < source.bytes.count {
            let begin = index
            while let byte = byte(index), byte != 0x0A { index += 1 }
            var line = source.text(begin..<index)
            index += 1
            if line.last == "\r" { line.removeLast() }
            if line == "." { return lines.joined(separator: "\n") }
            lines.append(line.hasPrefix("..") ? String(line.dropFirst()) : line)
            try check(index - start, start)
        }
        throw source.error(start, "this text is not closed by a line with a dot")
    }

    /// `100K`, by 1,024. RFC 5228 §2.4.1
    private mutating func number() throws(ImportError) -> Int {
        let start = index
        var value = 0
        while let byte = byte(index), (0x30...0x39).contains(byte) {
            value = value * 10 + Int(byte - 0x30)
            guard value < 1 << 40 else { throw source.error(start, "this number is too large") }
            index += 1
        }
        let shifts: [UInt8: Int] = [UInt8(ascii: "k"): 10, UInt8(ascii: "m"): 20, UInt8(ascii: "g"): 30]
        if let byte = byte(index), let shift = shifts[byte | 0x20] {
            index += 1
            value <<= shift
        }
        if let byte = byte(index), Self.isLetter(byte) {
            throw source.error(start, "the unit of a number is K, M or G")
        }
        return value
    }
}
