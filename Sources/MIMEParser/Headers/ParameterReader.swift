/// One piece of a parameter, such as `name*0*=value`.
struct ParameterPiece {
    /// Lower case.
    var name: String
    /// The number of a continuation.
    var section: Int?
    /// Whether the name ends with `*`: percent codes, and in the first piece charset and language.
    var isExtended = false
    var value: ArraySlice<UInt8>

    /// `filename*1*` → filename, 1, extended. nil: the text is not a name.
    init?(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>) {
        let star = UInt8(ascii: "*")
        var name = name
        if name.last == star {
            isExtended = true
            name = name.dropLast().trimmed
        }
        if let place = name.lastIndex(of: star) {
            let digits = name[(place + 1)...].trimmed
            guard !digits.isEmpty, digits.count <= 4, digits.allSatisfy(\.isDigit) else { return nil }
            section = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
            name = name[..<place].trimmed
        }
        guard !name.isEmpty, name.count <= 128 else { return nil }
        self.name = name.lowercasedText
        self.value = value
    }
}

/// Walks over a field body and hands out one parameter after the other.
struct ParameterReader {
    private let bytes: ArraySlice<UInt8>
    private var index: Int
    private var comments = CommentReader()
    private var hasOpenQuote = false

    init(bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        index = bytes.startIndex
    }

    mutating func next() -> ParameterPiece? {
        while true {
            skipSeparators()
            guard index < bytes.endIndex else { return nil }
            let start = index
            while index < bytes.endIndex, !Self.endsName(bytes[index]) { index += 1 }
            let name = bytes[start..<index].trimmed
            skipComments()
            guard index < bytes.endIndex, bytes[index] == ASCII.equals else {
                // A word without a value, or a stray quoted string: not ours.
                if index < bytes.endIndex, bytes[index] == ASCII.quote, quoted() == nil { index += 1 }
                continue
            }
            index += 1
            let value = value(isWord: Self.words.contains { name.isWord($0) })
            if let piece = ParameterPiece(name: name, value: value) { return piece }
        }
    }

    private static func endsName(_ byte: UInt8) -> Bool {
        byte == ASCII.equals || byte == ASCII.semicolon || byte == ASCII.quote
            || byte == ASCII.leftParenthesis
    }

    private mutating func skipComments() {
        while index < bytes.endIndex {
            if bytes[index] == ASCII.leftParenthesis, let end = comments.end(bytes, from: index) {
                index = end
            } else if bytes[index].isBlank {
                index += 1
            } else {
                return
            }
        }
    }

    private mutating func skipSeparators() {
        while index < bytes.endIndex {
            let byte = bytes[index]
            if byte == ASCII.leftParenthesis {
                index = comments.end(bytes, from: index) ?? index + 1
            } else if byte.isBlank || byte == ASCII.semicolon || byte == ASCII.comma {
                index += 1
            } else {
                return
            }
        }
    }

    // MARK: Values

    /// `isWord`: a parenthesis in the value begins a comment.
    private mutating func value(isWord: Bool) -> ArraySlice<UInt8> {
        while index < bytes.endIndex, bytes[index].isBlank { index += 1 }
        if isWord { skipComments() }
        guard index < bytes.endIndex else { return [] }
        if bytes[index] == ASCII.quote, let value = quoted() { return value }
        return isWord ? word() : unquoted()
    }

    /// A value without the comments around and inside it.
    private mutating func word() -> ArraySlice<UInt8> {
        var word: ArraySlice<UInt8> = []
        while true {
            let start = index
            let value = unquoted(endsAtComment: true).trimmed
            if word.isEmpty { word = value }
            guard index < bytes.endIndex, bytes[index] == ASCII.leftParenthesis else { return word }
            guard let end = comments.end(bytes, from: index) else {
                index = start
                return unquoted()
            }
            index = end
        }
    }

    /// Blanks belong to the value: names are written without their quotes. Not so what follows them when that is
    /// another parameter, whose `;` was forgotten, or a comment after a single word.
    private mutating func unquoted(endsAtComment: Bool = false) -> ArraySlice<UInt8> {
        let start = index
        while index < bytes.endIndex, bytes[index] != ASCII.semicolon {
            if endsAtComment, bytes[index] == ASCII.leftParenthesis { break }
            if bytes[index].isBlank, beginsKnownParameter(behind: index) { break }
            index += 1
        }
        var value = HeaderText.unfolded(bytes[start..<index])
        if let comment = value.firstIndex(of: ASCII.leftParenthesis), comment > value.startIndex,
            value[comment - 1].isBlank, value.last == ASCII.rightParenthesis,
            !value[..<comment].trimmed.contains(ASCII.space)
        {
            value = value[..<comment].trimmed
        }
        // Half a pair of quotes is none.
        if value.first == ASCII.quote { value = value.dropFirst() }
        if value.last == ASCII.quote { value = value.dropLast() }
        return value
    }

    private func beginsKnownParameter(behind blank: Int) -> Bool {
        var place = blank + 1
        guard place < bytes.endIndex, bytes[place].isLetter else { return false }
        let start = place
        while place < bytes.endIndex, bytes[place].isLetter || bytes[place] == ASCII.hyphen { place += 1 }
        var equals = place
        if equals < bytes.endIndex, bytes[equals] == UInt8(ascii: "*") { equals += 1 }
        guard equals < bytes.endIndex, bytes[equals] == ASCII.equals else { return false }
        let name = bytes[start..<place]
        return Self.known.contains { name.isWord($0) }
    }

    /// Parameters whose values are single words: file names and boundaries may have parentheses that are part of them.
    private static let words: [StaticString] = [
        "charset", "format", "delsp", "type", "size", "method", "protocol", "micalg", "report-type",
        "reply-type",
        "smime-type",
    ]

    private static let known: [StaticString] = [
        "charset", "boundary", "name", "filename", "format", "delsp", "type", "start", "size", "method",
        "protocol", "micalg", "report-type", "reply-type", "smime-type", "creation-date", "modification-date",
    ]

    /// A quoted string; nil for a quote that never ends: then nothing after it is a string either.
    private mutating func quoted() -> ArraySlice<UInt8>? {
        guard !hasOpenQuote else { return nil }
        let start = index + 1
        var end = start
        var isPlain = true
        while end < bytes.endIndex, bytes[end] != ASCII.quote {
            let byte = bytes[end]
            if byte == ASCII.backslash || byte == ASCII.cr || byte == ASCII.lf { isPlain = false }
            end += byte == ASCII.backslash ? 2 : 1
        }
        guard end < bytes.endIndex else {
            hasOpenQuote = true
            return nil
        }
        index = end + 1
        return isPlain ? bytes[start..<end] : Self.unescaped(bytes[start..<end])
    }

    /// Windows paths come unescaped: only what must be escaped is.
    private static func unescaped(_ content: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var output: [UInt8] = []
        output.reserveCapacity(content.count)
        var index = content.startIndex
        while index < content.endIndex {
            let byte = content[index]
            index += 1
            if byte == ASCII.cr || byte == ASCII.lf { continue }
            if byte == ASCII.backslash, index < content.endIndex,
                content[index] == ASCII.quote || content[index] == ASCII.backslash
            {
                output.append(content[index])
                index += 1
            } else {
                output.append(byte)
            }
        }
        return output[...]
    }
}
