/// Scans the characters of a query: values, words, white space.
extension QueryParser {
    mutating func value(takesForms: Bool) throws(QueryProblem) -> RawValue {
        guard index < letters.count, !isEnd(letters[index]) else {
            throw QueryProblem(
                code: "R020", offset: max(0, index - 1), length: 1, message: "a value is missing here")
        }
        if letters[index] == "\"" {
            let (text, offset) = try delimited("\"", name: "quote")
            return RawValue(form: .quoted, text: text.unescapingQuotes, offset: offset)
        }
        if let quoted = paired() { return quoted }
        if takesForms, letters[index] == "=" {
            index += 1
            var inner = try value(takesForms: false)
            inner.form = .exact
            return inner
        }
        if takesForms, letters[index] == "~" {
            index += 1
            var inner = try value(takesForms: false)
            inner.form = .contains
            return inner
        }
        if takesForms, letters[index] == "/" {
            let (text, offset) = try delimited("/", name: "slash")
            let isInsensitive = index < letters.count && letters[index] == "i"
            if isInsensitive { index += 1 }
            return RawValue(
                form: .regex(insensitive: isInsensitive), text: text.unescapingSlashes, offset: offset)
        }
        return bare()
    }

    /// `'First Last'` and “First Last”, as users type and paste them. An apostrophe (`'tis`) without a second
    /// one before a space is part of the text.
    private mutating func paired() -> RawValue? {
        guard let closing = RawValue.pairs[letters[index]] else { return nil }
        let start = index + 1
        let end = letters.indices.dropFirst(start).first { place in
            letters[place] == closing && (place + 1 == letters.count || isEnd(letters[place + 1]))
        }
        guard let end, end > start else { return nil }
        index = end + 1
        return RawValue(form: .quoted, text: String(letters[start..<end]), offset: start)
    }

    /// The text up to a space or a parenthesis; after a backslash, these are part of the text.
    private mutating func bare() -> RawValue {
        let start = index
        var text = ""
        while index < letters.count, !isEnd(letters[index]) {
            if letters[index] == "\\", index + 1 < letters.count, isEscapable(letters[index + 1]) {
                index += 1
            }
            text.append(letters[index])
            index += 1
        }
        return RawValue(form: .bare, text: text, offset: start)
    }

    private func isEscapable(_ letter: Character) -> Bool {
        isEnd(letter) || "\\=~\"/".contains(letter) || RawValue.pairs[letter] != nil
    }

    /// The text up to the next delimiter without a backslash before it.
    mutating func delimited(_ end: Character, name: String) throws(QueryProblem) -> (String, Int) {
        let start = index
        index += 1
        while index < letters.count, letters[index] != end {
            index += letters[index] == "\\" ? 2 : 1
        }
        guard index < letters.count else {
            index = letters.count
            throw QueryProblem(
                code: "R030", offset: start, length: 1, message: "the closing \(name) is missing")
        }
        index += 1
        return (String(letters[(start + 1)..<(index - 1)]), start + 1)
    }

    /// `size>2 MB` would mean two bytes and a search for "MB".
    func requireNoUnit(after raw: RawValue) throws(QueryProblem) {
        guard raw.text.last?.isNumber ?? false, index < letters.count, letters[index].isWhitespace else {
            return
        }
        let word = String(letters[index...].drop(while: \.isWhitespace).prefix { !isEnd($0) })
        guard Self.units.contains(word.lowercased()) else { return }
        throw QueryProblem(
            code: "R024", offset: raw.offset, length: raw.length,
            message: "a size has no space before '\(word)'",
            suggestion: "\(raw.text)\(word)")
    }

    /// `amount:>100 EUR`: a currency after the number is part of the value.
    mutating func takeCurrency(into raw: inout RawValue) {
        guard raw.form == .bare, raw.text.last?.isNumber ?? false, index < letters.count,
            letters[index].isWhitespace
        else { return }
        let blanks = letters[index...].prefix(while: \.isWhitespace).count
        let word = String(letters[(index + blanks)...].prefix { !isEnd($0) })
        guard Money.currency(word) != nil else { return }
        raw.text += word
        index += blanks + word.count
    }

    static let units: Set<String> = [
        "b", "k", "m", "g", "kb", "mb", "gb", "kib", "mib", "gib", "byte", "bytes",
    ]

    func isEnd(_ letter: Character) -> Bool { letter.isWhitespace || letter == "(" || letter == ")" }

    mutating func skipBlanks() {
        while index < letters.count, letters[index].isWhitespace { index += 1 }
    }

    func peekName() -> String {
        let name = letters[min(index, letters.count)...].prefix { letter in
            letter == "-" || letter == "_" || (letter.isASCII && (letter.isLetter || letter.isNumber))
        }
        return String(name)
    }

    func peekWord(_ word: String) -> Bool {
        let end = index + word.count
        guard end <= letters.count, String(letters[index..<end]).lowercased() == word else { return false }
        return end == letters.count || isEnd(letters[end])
    }

    mutating func takeWord(_ word: String) -> Bool {
        skipBlanks()
        guard peekWord(word) else { return false }
        index += word.count
        return true
    }
}
