/// A text as words, numbers and marks, to search for dates in one pass.
struct ReturnToken {
    enum Kind: Equatable {
        case number(Int, digits: Int)
        case word(String)
        case mark(Character)
        /// An empty line.
        case gap
    }

    let kind: Kind
    /// Whether it follows the previous token without a space.
    let isJoined: Bool

    var number: (value: Int, digits: Int)? {
        if case .number(let value, let digits) = kind { (value, digits) } else { nil }
    }
    var word: String? { if case .word(let word) = kind { word } else { nil } }
    var mark: Character? { if case .mark(let mark) = kind { mark } else { nil } }
}

extension ReturnToken {
    /// The tokens of a text in lower case; digits of all scripts are numbers.
    static func all(of text: String) -> [ReturnToken] {
        var splitter = ReturnSplitter()
        for character in text { splitter.take(character) }
        return splitter.finished()
    }
}

private struct ReturnSplitter {
    private var tokens: [ReturnToken] = []
    private var word = ""
    private var number = 0
    private var digits = 0
    private var lineBreaks = 0
    private var isJoined = false

    mutating func take(_ character: Character) {
        if let digit = character.wholeNumberValue, (0...9).contains(digit), Self.isDigit(character) {
            flushWord()
            digits += 1
            number = digits > 8 ? 0 : number * 10 + digit
        } else if character.isLetter {
            flushNumber()
            word.append(character)
        } else if character.isNewline {
            flush()
            lineBreaks += 1
            if lineBreaks == 2 { append(.gap) }
            isJoined = false
            return
        } else if character.isWhitespace {
            flush()
            isJoined = false
            return
        } else {
            flush()
            append(.mark(character))
        }
        lineBreaks = 0
    }

    mutating func finished() -> [ReturnToken] {
        flush()
        return tokens
    }

    /// Excludes Chinese numerals and signs such as `²`.
    private static func isDigit(_ character: Character) -> Bool {
        character.unicodeScalars.first?.properties.generalCategory == .decimalNumber
    }

    private mutating func flush() {
        flushWord()
        flushNumber()
    }

    private mutating func flushWord() {
        guard !word.isEmpty else { return }
        append(.word(word))
        word = ""
    }

    private mutating func flushNumber() {
        guard digits > 0 else { return }
        append(.number(number, digits: digits))
        number = 0
        digits = 0
    }

    private mutating func append(_ kind: ReturnToken.Kind) {
        tokens.append(ReturnToken(kind: kind, isJoined: isJoined))
        isJoined = true
    }
}
