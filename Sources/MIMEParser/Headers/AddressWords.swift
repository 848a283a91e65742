/// A run without blanks; a quoted string counts as one character.
struct AddressWord {
    let range: Range<Int>
    /// Whether there is an `@` outside quotes.
    var hasAt = false
    var hasQuote = false
    /// Whether it is exactly one quoted string.
    var isQuoted = false

    /// Appends the word without quotes and escapes.
    func appendUnquoted(to output: inout [UInt8], from bytes: ArraySlice<UInt8>) {
        guard hasQuote else {
            output += bytes[range]
            return
        }
        var index = range.lowerBound
        var isInside = false
        while index < range.upperBound {
            let byte = bytes[index]
            if byte == ASCII.quote {
                isInside.toggle()
            } else if byte == ASCII.backslash, isInside, index + 1 < range.upperBound {
                index += 1
                output.append(bytes[index])
            } else {
                output.append(byte)
            }
            index += 1
        }
    }
}

/// Splits an address field into words, comments, brackets and separators.
struct AddressWordScanner {
    enum Token {
        case word(AddressWord)
        case comment(ArraySlice<UInt8>)
        case bracket([AddressWord])
        case comma
        case semicolon
        case colon
    }

    let bytes: ArraySlice<UInt8>
    private var index: Int
    private var comments = CommentReader()
    /// Whether a quote has no end. It and all later ones are text.
    private var isUnclosed = false

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        index = bytes.startIndex
    }

    mutating func next() -> Token? {
        while index < bytes.endIndex {
            let byte = bytes[index]
            switch byte {
            case ASCII.leftParenthesis:
                if let text = readComment() { return .comment(text) }
            case ASCII.less: return .bracket(readBracket())
            case ASCII.comma: return take(.comma)
            case ASCII.semicolon: return take(.semicolon)
            case ASCII.colon: return take(.colon)
            case ASCII.greater: index += 1
            case _ where byte.isBlank: index += 1
            case _:
                if let word = readWord(inBracket: false) { return .word(word) }
            }
        }
        return nil
    }

    private mutating func take(_ token: Token) -> Token {
        index += 1
        return token
    }

    private mutating func readComment() -> ArraySlice<UInt8>? {
        guard let end = comments.end(bytes, from: index) else {
            index += 1
            return nil
        }
        defer { index = end }
        return bytes[(index + 1)..<(end - 1)]
    }

    /// Reads `<…>`. Without its end, it extends to the next comma, or to the next bracket if it contains an address.
    private mutating func readBracket() -> [AddressWord] {
        index += 1
        var words: [AddressWord] = []
        var hasAt = false
        while index < bytes.endIndex {
            let byte = bytes[index]
            switch byte {
            case ASCII.greater:
                index += 1
                return words
            case ASCII.less:
                if hasAt { return words }
                index += 1
            case ASCII.leftParenthesis: _ = readComment()
            case ASCII.comma, ASCII.semicolon:
                guard isRoute(words) else { return words }
                index += 1
            case _ where byte.isBlank: index += 1
            case _:
                guard let word = readWord(inBracket: true) else { break }
                hasAt = hasAt || word.hasAt
                words.append(word)
            }
        }
        return words
    }

    /// Whether it is an obsolete route such as `<@relay,@other:ana@x.org>`, which may contain commas. RFC 5322 §4.4.
    private func isRoute(_ words: [AddressWord]) -> Bool {
        guard let first = words.first, let last = words.last, bytes[first.range.lowerBound] == ASCII.at else {
            return false
        }
        return !bytes[last.range].contains(ASCII.colon)
    }

    /// nil: only a quote without an end.
    private mutating func readWord(inBracket: Bool) -> AddressWord? {
        let start = index
        var hasAt = false
        var hasQuote = false
        var isQuoted = false
        let isRoute = inBracket && bytes[index] == ASCII.at
        var isLiteral = false
        while index < bytes.endIndex {
            let byte = bytes[index]
            if isRoute {
                if byte == ASCII.leftBracket { isLiteral = true }
                if byte == ASCII.rightBracket { isLiteral = false }
                // The address begins behind the route.
                if byte == ASCII.colon, !isLiteral {
                    index += 1
                    break
                }
            }
            if Self.ends(byte) || (byte == ASCII.colon && !inBracket && !hasAt) { break }
            // `"Ana Smith"ana@x.org`: a name without a space after it.
            if isQuoted, byte != ASCII.at, byte != ASCII.dot { break }
            isQuoted = false
            if let end = unitEnd(byte) {
                isQuoted = byte == ASCII.quote && index == start
                hasQuote = hasQuote || byte == ASCII.quote
                index = end
            } else {
                index += 1
                if byte == ASCII.quote, index == start + 1 { return nil }
                hasAt = hasAt || byte == ASCII.at
            }
        }
        return AddressWord(range: start..<index, hasAt: hasAt, hasQuote: hasQuote, isQuoted: isQuoted)
    }

    /// The end of a unit that counts as one character, whatever it contains.
    private mutating func unitEnd(_ byte: UInt8) -> Int? {
        switch byte {
        case ASCII.quote: quoteEnd()
        case ASCII.equals: EncodedWordHead.wordEnd(bytes, at: index)
        case ASCII.escape: shiftedEnd()
        case _: nil
        }
    }

    private static func ends(_ byte: UInt8) -> Bool {
        switch byte {
        case ASCII.comma, ASCII.semicolon, ASCII.less, ASCII.greater, ASCII.leftParenthesis: true
        case _: byte.isBlank
        }
    }

    /// Raw ISO-2022-JP, from `ESC $` to `ESC (`: its bytes look like ASCII but are not.
    private func shiftedEnd() -> Int? {
        guard index + 1 < bytes.endIndex, bytes[index + 1] == UInt8(ascii: "$") else { return nil }
        let limit = min(bytes.endIndex, index + 512)
        var position = index + 2
        while position + 2 < limit {
            if bytes[position] == ASCII.escape, bytes[position + 1] == ASCII.leftParenthesis {
                return position + 3
            }
            position += 1
        }
        return nil
    }

    private mutating func quoteEnd() -> Int? {
        guard !isUnclosed else { return nil }
        var position = index + 1
        while position < bytes.endIndex {
            let byte = bytes[position]
            if byte == ASCII.quote { return position + 1 }
            position += byte == ASCII.backslash ? 2 : 1
        }
        isUnclosed = true
        return nil
    }
}
