/// Finds the encoded words of a field body, one after the other. RFC 2047 §2, and forms that occur in mail.
struct EncodedWordScanner {
    struct Word {
        var charset: Charset
        var isBase64: Bool
        var payload: ArraySlice<UInt8>
        var end: Int
    }

    private let bytes: ArraySlice<UInt8>
    private var index: Int
    /// Whether `?=` still follows. If not, the search ends, which keeps many `=?` linear.
    private var hasClosing = true

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        index = bytes.startIndex
    }

    /// The text after the last word.
    var rest: ArraySlice<UInt8> { bytes[index...] }

    /// The next word, and the text before it.
    mutating func next() -> (plain: ArraySlice<UInt8>, word: Word)? {
        var position = index
        while position + 1 < bytes.endIndex, hasClosing {
            if bytes[position] == ASCII.equals, bytes[position + 1] == ASCII.question,
                let word = word(at: position)
            {
                let plain = bytes[index..<position]
                index = word.end
                return (plain, word)
            }
            position += 1
        }
        return nil
    }

    private mutating func word(at start: Int) -> Word? {
        guard let head = EncodedWordHead(bytes, at: start),
            // Checks the charset first: an unknown one needs no search, so many of them stay linear.
            let charset = head.charset(in: bytes)
        else { return nil }
        guard let closing = closing(of: head) else { return nil }
        return Word(
            charset: charset, isBase64: head.isBase64, payload: bytes[head.end..<closing.payloadEnd],
            end: closing.end)
    }

    /// The ends of the payload and of the word. A word without `?=` ends where the body or the next word begins, if it
    /// is valid up to there.
    private mutating func closing(of head: EncodedWordHead) -> (payloadEnd: Int, end: Int)? {
        var index = head.end
        var hasBlank = false
        while index < bytes.endIndex {
            let byte = bytes[index]
            if byte == ASCII.question, index + 1 < bytes.endIndex, bytes[index + 1] == ASCII.equals,
                head.isBase64 || !isCode(at: index + 1)
            {
                return (index, index + 2)
            }
            guard byte.isBlank else {
                index += 1
                continue
            }
            let blank = index
            while index < bytes.endIndex, bytes[index].isBlank { index += 1 }
            if EncodedWordHead(bytes, at: index) != nil {
                return hasBlank || blank == head.end ? nil : (blank, blank)
            }
            hasBlank = true
        }
        hasClosing = false
        guard !hasBlank, index > head.end else { return nil }
        return (bytes[index - 1] == ASCII.question ? index - 1 : index, index)
    }

    /// `Why?=20not?=`: a question mark that should be encoded, before a code. This applies only if the word has its own
    /// `?=` later; otherwise text follows the word directly.
    private func isCode(at equals: Int) -> Bool {
        guard equals + 2 < bytes.endIndex, bytes[equals + 1].hexValue != nil,
            bytes[equals + 2].hexValue != nil
        else { return false }
        var index = equals + 3
        while index + 1 < bytes.endIndex, !bytes[index].isBlank {
            if bytes[index] == ASCII.question, bytes[index + 1] == ASCII.equals { return true }
            if bytes[index] == ASCII.equals, bytes[index + 1] == ASCII.question { return false }
            index += 1
        }
        return false
    }
}

/// The beginning of a word: `=?utf-8*en?q?`.
struct EncodedWordHead {
    let label: Range<Int>
    let isBase64: Bool
    /// The beginning of the payload.
    let end: Int

    init?(_ bytes: ArraySlice<UInt8>, at start: Int) {
        guard start + 1 < bytes.endIndex, bytes[start] == ASCII.equals, bytes[start + 1] == ASCII.question
        else { return nil }
        var index = start + 2
        // A colon is not allowed in a label, but some names of charsets have one: `iso_8859-1:1987`.
        while index < bytes.endIndex, bytes[index].isToken || bytes[index] == ASCII.colon,
            index - start <= 80
        {
            index += 1
        }
        guard index + 2 < bytes.endIndex, bytes[index] == ASCII.question, bytes[index + 2] == ASCII.question
        else { return nil }
        let encoding = bytes[index + 1].lowercasedASCII
        guard encoding == UInt8(ascii: "b") || encoding == UInt8(ascii: "q") else { return nil }
        label = (start + 2)..<index
        isBase64 = encoding == UInt8(ascii: "b")
        end = index + 3
    }

    /// The charset of its label; a language may follow that: `=?utf-8*en?q?…?=`. RFC 2231 §5.
    func charset(in bytes: ArraySlice<UInt8>) -> Charset? {
        let name = bytes[label].prefix { $0 != UInt8(ascii: "*") }
        return Charset(label: name)
    }

    /// Where the word ends that begins here, if that is near: for readers of structured fields, to whom the text of
    /// a word says nothing, not even `,` and `@` that should have been codes. A bracket ends the search.
    static func wordEnd(_ bytes: ArraySlice<UInt8>, at start: Int) -> Int? {
        guard let head = EncodedWordHead(bytes, at: start) else { return nil }
        let limit = min(bytes.endIndex, head.end + 512)
        var index = head.end
        while index + 1 < limit, bytes[index] != ASCII.less {
            if bytes[index] == ASCII.question, bytes[index + 1] == ASCII.equals { return index + 2 }
            index += 1
        }
        return nil
    }
}
