/// Encoded words in header fields: `=?utf-8?q?Caf=C3=A9?=`. RFC 2047.
///
/// Adjacent words join, also where a character was split across two of them. Words glued to text or inside
/// quotes are read too: mail is full of them. A word with a charset that nobody knows stays as it came.
public enum EncodedWord {
    /// The text of a field body, which may be folded. One line: see ``HeaderText/clean(_:)``.
    public static func decode(_ body: ArraySlice<UInt8>, limit: Int = MIMELimits.standard.encodedWords)
        -> String
    {
        let bytes = HeaderText.unfolded(body)
        guard HeaderText.mayHoldWords(bytes) else { return HeaderText.clean(Charset.guessed(bytes)) }
        var reader = WordReader(bytes: bytes, limit: limit)
        return HeaderText.clean(reader.read())
    }

    public static func decode(_ text: String) -> String { decode(Array(text.utf8)[...]) }

    /// How many words a body holds that would be decoded.
    static func count(in body: ArraySlice<UInt8>) -> Int {
        let bytes = HeaderText.unfolded(body)
        guard HeaderText.mayHoldWords(bytes) else { return 0 }
        var reader = WordReader(bytes: bytes, limit: .max)
        _ = reader.read()
        return reader.words
    }
}

/// The life of one body: find a word, take it apart, join it with its neighbour, go on.
private struct WordReader {
    let bytes: ArraySlice<UInt8>
    let limit: Int
    private(set) var words = 0
    private var output = ""
    /// Bytes of words whose charset is the same and which stand side by side.
    private var pending: (charset: Charset, bytes: [UInt8])?
    /// Once no `?=` follows, none ever will: keeps a flood of `=?` linear.
    private var hasClosing = true

    init(bytes: ArraySlice<UInt8>, limit: Int) {
        self.bytes = bytes
        self.limit = limit
    }

    mutating func read() -> String {
        var plainStart = bytes.startIndex
        var index = bytes.startIndex
        while index < bytes.endIndex, words < limit, hasClosing {
            guard bytes[index] == ASCII.equals, let word = word(at: index) else {
                index += 1
                continue
            }
            takePlain(bytes[plainStart..<index], beforeWord: true)
            take(word)
            index = word.end
            plainStart = index
        }
        takePlain(bytes[plainStart...], beforeWord: false)
        return output
    }

    private struct Word {
        var charset: Charset
        var isBase64: Bool
        var payload: ArraySlice<UInt8>
        var end: Int
    }

    private mutating func word(at start: Int) -> Word? {
        guard start + 1 < bytes.endIndex, bytes[start + 1] == ASCII.question else { return nil }
        var index = start + 2
        while index < bytes.endIndex, bytes[index].isToken, index - start <= 80 { index += 1 }
        guard index + 2 < bytes.endIndex, bytes[index] == ASCII.question, bytes[index + 2] == ASCII.question
        else { return nil }
        let encoding = bytes[index + 1].lowercasedASCII
        guard encoding == UInt8(ascii: "b") || encoding == UInt8(ascii: "q") else { return nil }
        // A language may follow the charset: `=?utf-8*en?q?…?=`. RFC 2231 §5.
        let name = bytes[(start + 2)..<index].prefix { $0 != UInt8(ascii: "*") }
        let payloadStart = index + 3
        // The charset first: an unknown one costs no search, so a flood of them stays linear.
        guard let charset = Charset(label: name.text) else { return nil }
        guard let close = closing(from: payloadStart) else {
            hasClosing = false
            return nil
        }
        return Word(
            charset: charset, isBase64: encoding == UInt8(ascii: "b"), payload: bytes[payloadStart..<close],
            end: close + 2)
    }

    private func closing(from start: Int) -> Int? {
        var index = start
        while index + 1 < bytes.endIndex {
            if bytes[index] == ASCII.question, bytes[index + 1] == ASCII.equals { return index }
            index += 1
        }
        return nil
    }

    private mutating func take(_ word: Word) {
        words += 1
        let decoded = word.isBase64 ? Base64.decode(word.payload) : Self.decodeQ(word.payload)
        if pending?.charset == word.charset {
            pending?.bytes += decoded
        } else {
            flush()
            pending = (word.charset, decoded)
        }
    }

    /// Blanks between two words are no text; any other text separates them.
    private mutating func takePlain(_ plain: ArraySlice<UInt8>, beforeWord: Bool) {
        if beforeWord, pending != nil, plain.isBlank { return }
        flush()
        if !plain.isEmpty { output += Charset.guessed(plain) }
    }

    private mutating func flush() {
        guard let waiting = pending else { return }
        output += waiting.charset.decode(waiting.bytes)
        pending = nil
    }

    private static func decodeQ(_ payload: ArraySlice<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(payload.count)
        var index = payload.startIndex
        while index < payload.endIndex {
            let byte = payload[index]
            if byte == ASCII.equals, index + 2 < payload.endIndex,
                let high = payload[index + 1].hexValue, let low = payload[index + 2].hexValue
            {
                output.append(high << 4 | low)
                index += 3
                continue
            }
            output.append(byte == ASCII.underscore ? ASCII.space : byte)
            index += 1
        }
        return output
    }
}
