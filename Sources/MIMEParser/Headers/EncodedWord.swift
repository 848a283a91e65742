/// Encoded words in header fields: `=?utf-8?q?Caf=C3=A9?=`. RFC 2047.
///
/// Adjacent words are joined, even if a character was split between them. Words next to text or inside quotes are
/// decoded too, because they are common. A word with an unknown charset stays unchanged.
public enum EncodedWord {
    /// The text of a field body, which may be folded, on one line; see ``HeaderText/clean(_:)``.
    public static func decode(_ body: ArraySlice<UInt8>, limit: Int = MIMELimits.standard.encodedWords)
        -> String
    {
        let body = body.trimmed
        if let text = HeaderText.plain(body) { return text }
        guard HeaderText.mayHoldWords(body) else {
            return HeaderText.clean(HeaderText.undeclared(HeaderText.unfolded(body)))
        }
        var scanner = EncodedWordScanner(body)
        var text = EncodedWordText()
        var words = 0
        while words < limit, let (plain, word) = scanner.next() {
            text.append(plain: plain, beforeWord: true)
            text.append(word)
            words += 1
        }
        text.append(plain: scanner.rest, beforeWord: false)
        return HeaderText.clean(text.finished)
    }

    public static func decode(_ text: String) -> String { decode(Array(text.utf8)[...]) }

    /// The number of encoded words in a body.
    static func count(in body: ArraySlice<UInt8>) -> Int {
        guard HeaderText.mayHoldWords(body) else { return 0 }
        var scanner = EncodedWordScanner(body)
        var words = 0
        while scanner.next() != nil { words += 1 }
        return words
    }
}

/// The text so far: plain pieces, and runs of adjacent words.
private struct EncodedWordText {
    private var output = ""
    private var run: Run?

    /// Adjacent words of one charset. Their bytes are decoded together, because some senders split characters.
    private struct Run {
        let charset: Charset
        var bytes: [UInt8] = []
        /// Base64 of words that may be split anywhere, even inside a group of four.
        var base64 = Base64Text()
    }

    /// Blanks between two words are not text; any other text separates the words.
    mutating func append(plain: ArraySlice<UInt8>, beforeWord: Bool) {
        if plain.isEmpty || (beforeWord && run != nil && plain.isBlank) { return }
        flush()
        output += HeaderText.undeclared(HeaderText.joined(plain)[...])
    }

    mutating func append(_ word: EncodedWordScanner.Word) {
        if run?.charset != word.charset { flush() }
        var joined = run ?? Run(charset: word.charset)
        run = nil
        if word.isBase64 {
            joined.base64.append(word.payload)
        } else {
            joined.bytes += joined.base64.take()
            QEncoding.decode(word.payload, into: &joined.bytes)
        }
        if !joined.base64.goesOn() { joined.bytes += joined.base64.take() }
        run = joined
    }

    var finished: String {
        var text = self
        text.flush()
        return text.output
    }

    private mutating func flush() {
        guard var last = run else { return }
        last.bytes += last.base64.take()
        output += last.charset.decodeJoined(last.bytes)
        run = nil
    }
}

/// The base64 text of adjacent words, until it is clear that it ends with one of them.
private struct Base64Text {
    private var text: [UInt8] = []
    private var digits = 0
    private var isPadded = false
    private var wasCut = false

    mutating func append(_ payload: ArraySlice<UInt8>) {
        for byte in payload where !byte.isBlank {
            text.append(byte)
            isPadded = byte == ASCII.equals
            if !isPadded { digits += 1 }
        }
    }

    /// Whether the text continues in the next word. A complete word has zero bits at its end, with or without padding.
    /// Once the text has continued, only a complete group ends it.
    mutating func goesOn() -> Bool {
        guard !isPadded, let last = text.last else { return false }
        switch digits % 4 {
        case 1: wasCut = true
        case 2: wasCut = wasCut || Self.value(last) & 0x0F != 0
        case 3: wasCut = wasCut || Self.value(last) & 0x03 != 0
        case _: return false
        }
        return wasCut
    }

    /// Returns its bytes and empties it.
    mutating func take() -> [UInt8] {
        guard !text.isEmpty else { return [] }
        let bytes = Base64.decode(text[...])
        self = Base64Text()
        return bytes
    }

    private static func value(_ digit: UInt8) -> UInt8 {
        switch digit {
        case 0x41...0x5A: digit - 0x41
        case 0x61...0x7A: digit - 0x47
        case 0x30...0x39: digit + 4
        case 0x2B: 62
        case _: 63
        }
    }
}

/// The `Q` encoding of a word. RFC 2047 §4.2.
private enum QEncoding {
    /// If a word was folded inside, the spaces of the fold are not text if the word writes spaces as `_`, or if they
    /// are between two codes; `=` before the fold is a soft line break, as in a quoted-printable body.
    static func decode(_ payload: ArraySlice<UInt8>, into output: inout [UInt8]) {
        let hasUnderscores = payload.contains(ASCII.underscore)
        var index = payload.startIndex
        var lastWasCode = false
        while index < payload.endIndex {
            let byte = payload[index]
            if byte == ASCII.equals, let code = code(payload, at: index) {
                output.append(code)
                index += 3
                lastWasCode = true
                continue
            }
            if let end = foldEnd(payload, at: index) {
                let isSoft = byte == ASCII.equals
                let isBetweenCodes = lastWasCode && end < payload.endIndex && payload[end] == ASCII.equals
                if !isSoft, !isBetweenCodes, !hasUnderscores { output.append(ASCII.space) }
                index = end
                continue
            }
            output.append(byte == ASCII.underscore ? ASCII.space : byte)
            index += 1
            lastWasCode = false
        }
    }

    private static func code(_ bytes: ArraySlice<UInt8>, at index: Int) -> UInt8? {
        guard index + 2 < bytes.endIndex, let high = bytes[index + 1].hexValue,
            let low = bytes[index + 2].hexValue
        else { return nil }
        return high << 4 | low
    }

    /// The end of a fold that begins here, possibly with `=`; nil: there is none.
    private static func foldEnd(_ bytes: ArraySlice<UInt8>, at start: Int) -> Int? {
        var index = bytes[start] == ASCII.equals ? start + 1 : start
        guard index < bytes.endIndex, bytes[index] == ASCII.cr || bytes[index] == ASCII.lf else { return nil }
        while index < bytes.endIndex, bytes[index].isBlank { index += 1 }
        return index
    }
}
