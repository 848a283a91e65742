public import Models

/// The message ids of `Message-ID`, `In-Reply-To` and `References`. RFC 5322 §3.6.4.
///
/// A text without an `@` is not an id: `In-Reply-To: <yes>`, typed at a prompt, would join unrelated messages.
public enum MessageIDs {
    /// The most ids kept of one field, from its beginning and its end. Real threads are shorter.
    static let limit = 1_000

    public static func own(_ body: ArraySlice<UInt8>) -> MessageID? {
        var reader = MessageIDReader(readable(body))
        reader.read()
        return (reader.ids.first ?? reader.bareIDs.first).map { MessageID($0.text) }
    }

    /// The ids of `References`, the oldest first.
    public static func references(_ body: ArraySlice<UInt8>) -> [MessageID] {
        var reader = MessageIDReader(readable(body))
        reader.read()
        return bounded(reader.ids.isEmpty ? reader.bareIDs : reader.ids)
    }

    /// The ids of `In-Reply-To`, the most likely first.
    ///
    /// Old programs write a sentence: `Message from Ann <ann@x.org> of "Thu" <199604.AA12@x.org>`. If there is text
    /// beside the brackets, only texts that look like an id count, and addresses do not.
    public static func inReplyTo(_ body: ArraySlice<UInt8>) -> [MessageID] {
        var reader = MessageIDReader(readable(body))
        reader.read()
        guard !reader.ids.isEmpty else { return bounded(reader.bareIDs.filter(looksLikeID)) }
        guard reader.hasText else { return bounded(reader.ids) }
        let likely = reader.ids.filter(looksLikeID)
        return bounded(likely.isEmpty ? reader.ids : likely)
    }

    /// The ids of two fields in one message. Some programs write a second field, or fold a long one into two.
    static func joined(_ first: [MessageID], _ second: [MessageID]) -> [MessageID] {
        guard !first.isEmpty else { return second }
        let known = Set(first)
        let all = first + second.filter { !known.contains($0) }
        return all.count > limit ? Array(all.prefix(1) + all.suffix(limit - 1)) : all
    }

    private static func bounded(_ ids: [ArraySlice<UInt8>]) -> [MessageID] {
        guard ids.count > limit else { return ids.map { MessageID($0.text) } }
        return (ids.prefix(1) + ids.suffix(limit - 1)).map { MessageID($0.text) }
    }

    private static func looksLikeID(_ id: ArraySlice<UInt8>) -> Bool {
        let local = id.prefix { $0 != ASCII.at }
        var digits = 0
        for byte in local {
            if byte == UInt8(ascii: "$") || byte == ASCII.percent { return true }
            if byte.isDigit { digits += 1 }
        }
        return local.count >= 20 || digits >= 4
    }

    /// Some programs write ids as encoded words, brackets and all: `=?utf-8?q?=3Ca=40x=2Eorg=3E?=`. An id in
    /// brackets is never decoded: there the same letters are part of the id.
    private static func readable(_ body: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard HeaderText.mayHoldWords(body) else { return body }
        var output: [UInt8] = []
        var index = body.startIndex
        while index < body.endIndex {
            let start = index
            if body[index] == ASCII.less {
                index += 1
                while index < body.endIndex, body[index] != ASCII.less, body[index - 1] != ASCII.greater {
                    index += 1
                }
                output += body[start..<index]
            } else {
                while index < body.endIndex, body[index] != ASCII.less { index += 1 }
                output.append(ASCII.space)
                output += EncodedWord.decode(body[start..<index]).utf8
            }
        }
        return output[...]
    }
}

/// Walks over a field body once and keeps the places of its ids.
private struct MessageIDReader {
    private let bytes: ArraySlice<UInt8>
    private var index: Int
    private var comments = CommentReader()
    /// The ids in angle brackets.
    private(set) var ids: [ArraySlice<UInt8>] = []
    /// Whether anything but ids was there.
    private(set) var hasText = false

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        index = bytes.startIndex
    }

    mutating func read() {
        while index < bytes.endIndex {
            let byte = bytes[index]
            if byte == ASCII.less {
                readBracketed()
            } else if byte == ASCII.leftParenthesis, let end = comments.end(bytes, from: index) {
                index = end
            } else if byte.isBlank || byte == ASCII.comma || byte == ASCII.semicolon || byte == ASCII.greater
            {
                index += 1
            } else {
                readText()
            }
        }
    }

    private mutating func readBracketed() {
        index += 1
        let start = index
        while index < bytes.endIndex, bytes[index] != ASCII.greater, bytes[index] != ASCII.less { index += 1 }
        let content = bytes[start..<index]
        if let id = Self.id(content) {
            ids.append(id)
        } else {
            // Blanks inside: several ids that share a pair of brackets, or one that was folded in its middle.
            let words = content.split(whereSeparator: \.isBlank).compactMap(Self.id)
            if words.count > 1 {
                ids += words
            } else if let id = Self.id(content.filter { !$0.isBlank }[...]) {
                ids.append(id)
            }
        }
    }

    /// A run of text; one before `>` is an id that lost its bracket.
    private mutating func readText() {
        let start = index
        index += 1
        while index < bytes.endIndex, !bytes[index].isBlank, bytes[index] != ASCII.less,
            bytes[index] != ASCII.greater, bytes[index] != ASCII.comma
        {
            index += 1
        }
        hasText = true
        if index < bytes.endIndex, bytes[index] == ASCII.greater, let id = Self.id(bytes[start..<index]) {
            ids.append(id)
        }
    }

    /// Words with an `@`, in a field without brackets; quotes and parentheses round them are not part of them.
    var bareIDs: [ArraySlice<UInt8>] {
        bytes.split(whereSeparator: { byte in
            switch byte {
            case ASCII.comma, ASCII.semicolon, ASCII.less, ASCII.greater, ASCII.quote, ASCII.leftParenthesis,
                ASCII.rightParenthesis:
                true
            case _: byte.isBlank
            }
        })
        .compactMap(Self.id)
    }

    /// The bytes, if they can be an id: an `@` that is neither first nor last, no blank, no control character.
    private static func id(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let bytes = bytes.trimmed
        guard bytes.count >= 3, bytes.count <= 998, let last = bytes.last, last != ASCII.at else {
            return nil
        }
        var at: Int?
        for index in bytes.indices {
            let byte = bytes[index]
            if byte <= ASCII.space || byte == ASCII.delete { return nil }
            if byte == ASCII.at { at = index }
        }
        guard let at, at > bytes.startIndex else { return nil }
        return bytes
    }
}
