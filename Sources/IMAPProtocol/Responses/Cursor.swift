import NIOCore

/// A position in the text of one response, and functions that read the basic elements of the grammar. RFC 3501 §9.
///
/// Every step is bounded by the length of the text, and there is no recursion.
struct Cursor {
    let text: [UInt8]
    let literals: [Frame.Literal]
    let limits: ResponseLimits
    var index = 0
    private var nextLiteral = 0
    private var items = 0
    private(set) var quirks: [Quirk] = []
    /// The keyword of the response, once known. It identifies a skipped response.
    var keyword = ""
    var uid: UInt32?

    init(_ frame: Frame, limits: ResponseLimits) {
        text = frame.text
        literals = frame.literals
        self.limits = limits
    }

    var isAtEnd: Bool { index >= text.count }
    var peek: UInt8? { index < text.count ? text[index] : nil }
    var rest: ArraySlice<UInt8> { text[min(index, text.count)...] }

    mutating func note(_ quirk: Quirk) { quirks.append(quirk) }

    func failure(_ reason: Unparsable.Reason) -> ParseFailure {
        ParseFailure(unparsable: Unparsable(reason: reason, offset: index, keyword: keyword, uid: uid))
    }

    /// At most 200 bytes around a position, to show what a server sent.
    func excerpt(around place: Int) -> [UInt8] {
        let start = max(0, min(place, text.count) - 100)
        return Array(text[start..<min(text.count, start + 200)])
    }

    mutating func countItem() throws(ParseFailure) {
        items += 1
        if items > limits.items {
            throw failure(.tooManyItems(actual: items, maximum: limits.items))
        }
    }

    // MARK: Octets

    mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        index += 1
        return true
    }

    mutating func expect(_ byte: UInt8) throws(ParseFailure) {
        guard take(byte) else { throw failure(.expected(String(UnicodeScalar(byte)))) }
    }

    @discardableResult mutating func skipSpaces() -> Int {
        let start = index
        while peek == .space { index += 1 }
        return index - start
    }

    /// Reads octets while the condition is true.
    mutating func read(while condition: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = index
        while index < text.count, condition(text[index]) { index += 1 }
        return text[start..<index]
    }

    /// A word in upper case: the text up to a space, a parenthesis or a bracket.
    mutating func word() -> String {
        read {
            $0 != .space && $0 != .openParenthesis && $0 != .closeParenthesis && $0 != .openBracket
                && $0 != .closeBracket
        }.uppercasedWord
    }

    // MARK: Numbers

    mutating func number64() throws(ParseFailure) -> UInt64 {
        guard peek?.isDigit == true else { throw failure(.expected("number")) }
        var value: UInt64 = 0
        while let byte = peek, byte.isDigit {
            let (scaled, overflowA) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflowB) = scaled.addingReportingOverflow(UInt64(byte - 0x30))
            guard !overflowA, !overflowB else { throw failure(.numberTooLarge) }
            value = sum
            index += 1
        }
        return value
    }

    mutating func number() throws(ParseFailure) -> UInt32 {
        guard let value = UInt32(exactly: try number64()) else { throw failure(.numberTooLarge) }
        return value
    }

    // MARK: Strings

    /// The literal whose `{` is at this position.
    mutating func literal() -> Frame.Content? {
        guard nextLiteral < literals.count, literals[nextLiteral].offset == index else { return nil }
        index += 1
        nextLiteral += 1
        return literals[nextLiteral - 1].content
    }

    var isAtLiteral: Bool { isLiteral(at: index) }

    func isLiteral(at place: Int) -> Bool {
        nextLiteral < literals.count && literals[nextLiteral].offset == place
    }

    mutating func quoted() throws(ParseFailure) -> [UInt8] {
        try expect(.quote)
        let start = index
        while index < text.count, text[index] != .quote, text[index] != .backslash { index += 1 }
        var bytes = Array(text[start..<index])
        while let byte = peek {
            index += 1
            switch byte {
            case .quote:
                return bytes
            case .backslash:
                if let next = peek, next == .quote || next == .backslash {
                    bytes.append(next)
                    index += 1
                } else {
                    note(.strayBackslash)
                    bytes.append(byte)
                }
            default:
                bytes.append(byte)
            }
        }
        throw failure(.expected("closing quote"))
    }

    /// A quoted string or a literal; nil: neither is at this position.
    mutating func string() throws(ParseFailure) -> [UInt8]? {
        if peek == .quote { return try quoted() }
        guard let content = literal() else { return nil }
        switch content {
        case .bytes(let buffer): return Array(buffer.readableBytesView)
        case .omitted: throw failure(.misplacedLiteral)
        }
    }

    /// A quoted string, a literal or an atom. RFC 3501 §9 (`astring`).
    mutating func astring(_ what: String) throws(ParseFailure) -> [UInt8] {
        if let string = try string() { return string }
        let word = read { $0 != .space && $0 != .openParenthesis && $0 != .closeParenthesis }
        guard !word.isEmpty else { throw failure(.expected(what)) }
        return Array(word)
    }

    /// Skips `NIL`, if it is a complete word.
    mutating func skipNil() -> Bool {
        guard index + 3 <= text.count, text[index..<(index + 3)].uppercasedWord == "NIL" else { return false }
        if index + 3 < text.count, text[index + 3].isLetter || text[index + 3].isDigit { return false }
        index += 3
        return true
    }

    /// The character between the levels of a mailbox name, in quotes or NIL.
    mutating func delimiter() throws(ParseFailure) -> UInt8? {
        if skipNil() { return nil }
        if text[index...].starts(with: [.quote, .backslash, .quote, .space]) {
            note(.unescapedDelimiter)
            index += 3
            return .backslash
        }
        guard let bytes = try string() else { throw failure(.expected("delimiter")) }
        if bytes.isEmpty { note(.emptyDelimiter) }
        return bytes.first
    }

    /// Without spaces at the end.
    static func trimmed(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var bytes = bytes
        while bytes.last == .space { bytes = bytes.dropLast() }
        return Array(bytes)
    }

    /// Whether another item's name is where a value is due (Yandex).
    mutating func valueIsMissing() -> Bool {
        guard let byte = peek, byte.isLetter, !isAtLiteral else { return false }
        note(.itemWithoutValue)
        return true
    }

    // MARK: Lists

    /// `(\Seen $Forwarded)`; a flag may hold any octet but space and parentheses, as Gmail's labels do.
    mutating func flagList() throws(ParseFailure) -> [String] {
        if skipNil() {
            note(.nilFlagList)
            return []
        }
        try expect(.openParenthesis)
        var flags: [String] = []
        while true {
            let spaces = skipSpaces()
            if take(.closeParenthesis) {
                if spaces > 0, !flags.isEmpty { note(.extraSpace) }
                return flags
            }
            try countItem()
            if peek == .quote {
                flags.append(serverText(try quoted()))
                continue
            }
            let flag = read { $0 != .space && $0 != .openParenthesis && $0 != .closeParenthesis }
            guard !flag.isEmpty else { throw failure(.expected("flag")) }
            if flag.elementsEqual([.backslash]) {
                note(.bareBackslash)
            } else {
                flags.append(serverText(flag))
            }
        }
    }

    /// The ranges of a set in the server's order, each with its lower end first. `*` is refused.
    mutating func uidRanges() throws(ParseFailure) -> [ClosedRange<UInt32>] {
        var ranges: [ClosedRange<UInt32>] = []
        repeat {
            if ranges.count >= limits.numbers {
                throw failure(.tooManyItems(actual: ranges.count + 1, maximum: limits.numbers))
            }
            let first = try number()
            let second = take(.colon) ? try number() : first
            if first > second { note(.reversedRange) }
            ranges.append(min(first, second)...max(first, second))
        } while take(.comma)
        return ranges
    }

    /// Steps over one value of any kind: word, string, literal or balanced list.
    mutating func skipValue() throws(ParseFailure) {
        var depth = 0
        repeat {
            skipSpaces()
            switch peek {
            case nil:
                throw failure(depth > 0 ? .unbalancedParentheses : .expected("value"))
            case .openParenthesis:
                index += 1
                depth += 1
                guard depth <= limits.nesting else {
                    throw failure(.nesting(actual: depth, maximum: limits.nesting))
                }
            case .closeParenthesis:
                guard depth > 0 else { throw failure(.expected("value")) }
                index += 1
                depth -= 1
            case .quote:
                try countItem()
                _ = try quoted()
            default:
                try countItem()
                skipWord()
            }
        } while depth > 0
    }

    private mutating func skipWord() {
        if literal() != nil { return }
        // At least one octet, so that reading always advances.
        index += 1
        while let byte = peek, byte != .space, byte != .openParenthesis, byte != .closeParenthesis,
            byte != .quote, !isAtLiteral
        {
            index += 1
        }
    }
}

/// How the inner functions of the parser give up; never leaves this module.
struct ParseFailure: Error {
    var unparsable: Unparsable
}
