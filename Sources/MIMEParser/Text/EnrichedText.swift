/// Text with commands in angle brackets: `text/enriched` (RFC 1896), and its predecessor `text/richtext` (RFC 1341 §7.1.3).
///
/// A line end is a blank; two or more make one line end less, or in richtext `<nl>` makes one. Excerpts become quotes, and
/// commands for the look of the text are left out.
struct EnrichedText {
    private let bytes: [UInt8]
    private let isRichtext: Bool
    private var writer: TextWriter
    /// The number of open commands in which line ends stay.
    private var literal = 0
    private var quotes = 0
    /// Whether the command for text that is not shown has no end. Then it is ignored, so that no text gets lost.
    private var hasOpenHiding = false

    private init(_ text: String, isRichtext: Bool, limit: Int) {
        bytes = Array(text.utf8)
        self.isRichtext = isRichtext
        writer = TextWriter(limit: limit)
    }

    /// As plain text, at most `limit` bytes; nil: the text is of another type.
    static func plain(_ text: String, _ type: ContentType, limit: Int) -> String? {
        guard type.isEnriched else { return nil }
        var reader = EnrichedText(text, isRichtext: type.subtype == "richtext", limit: limit)
        reader.read()
        return TextLines.capped(String(decoding: reader.writer.output, as: UTF8.self), to: limit)
    }

    private mutating func read() {
        var index = 0
        while index < bytes.count, !writer.isFull {
            let start = index
            while index < bytes.count, bytes[index] != ASCII.less, bytes[index] != ASCII.lf { index += 1 }
            append(start..<index)
            guard index < bytes.count else { return }
            if bytes[index] == ASCII.lf {
                index = readLineEnds(at: index)
            } else if !isRichtext, index + 1 < bytes.count, bytes[index + 1] == ASCII.less {
                append(index..<(index + 1))
                index += 2
            } else if let (name, isEnd, next) = command(at: index) {
                index = isEnd ? next : hidden(name, from: next) ?? next
                obey(name, isEnd: isEnd)
            } else {
                append(index..<(index + 1))
                index += 1
            }
        }
    }

    private mutating func append(_ range: Range<Int>) {
        bytes.withUnsafeBufferPointer { writer.append(UnsafeBufferPointer(rebasing: $0[range])) }
    }

    private mutating func readLineEnds(at start: Int) -> Int {
        var end = start
        while end < bytes.count, bytes[end] == ASCII.lf { end += 1 }
        if literal > 0 {
            append(start..<end)
        } else if isRichtext || end - start == 1 {
            writer.append(" ")
        } else {
            for _ in 1..<min(end - start, 3) { writer.begin(.lineBreak) }
        }
        return end
    }

    // MARK: Commands

    private static let longestName = 60

    /// `<name>` or `</name>`, the name in lower case; nil: the bracket is text.
    private func command(at start: Int) -> (name: String, isEnd: Bool, next: Int)? {
        var index = start + 1
        let isEnd = index < bytes.count && bytes[index] == ASCII.slash
        if isEnd { index += 1 }
        let first = index
        while index < bytes.count, index - first < Self.longestName,
            bytes[index].isLetter || bytes[index].isDigit || bytes[index] == ASCII.hyphen
        {
            index += 1
        }
        guard index > first, index < bytes.count, bytes[index] == ASCII.greater else { return nil }
        return (bytes[first..<index].lowercasedText, isEnd, index + 1)
    }

    /// The end of what is not shown after `<param>`, or in richtext after `<comment>`.
    private mutating func hidden(_ name: String, from start: Int) -> Int? {
        guard name == (isRichtext ? "comment" : "param"), !hasOpenHiding else { return nil }
        var index = start
        while let next = bytes[index...].firstIndex(of: ASCII.less) {
            if let end = command(at: next), end.isEnd, end.name == name { return end.next }
            index = next + 1
        }
        hasOpenHiding = true
        return nil
    }

    private mutating func obey(_ name: String, isEnd: Bool) {
        switch name {
        case "lt" where isRichtext: if !isEnd { writer.append("<") }
        case "nl" where isRichtext: if !isEnd { writer.begin(.lineBreak) }
        case "nofill": setLiteral(isEnd)
        case "excerpt": setQuote(isEnd)
        case "paragraph", "np", "heading", "footing":
            isEnd ? writer.end(.paragraph) : writer.begin(.paragraph)
        case "center", "flushleft", "flushright", "flushboth", "indent", "indentright", "outdent",
            "outdentright",
            "paraindent", "signature":
            isEnd ? writer.end(.block) : writer.begin(.block)
        case _: break
        }
    }

    private mutating func setLiteral(_ isEnd: Bool) {
        if !isEnd {
            literal += 1
            writer.begin(.preformatted)
        } else if literal > 0 {
            literal -= 1
            writer.end(.preformatted)
        }
    }

    private mutating func setQuote(_ isEnd: Bool) {
        if !isEnd {
            quotes += 1
            writer.begin(.quote)
        } else if quotes > 0 {
            quotes -= 1
            writer.end(.quote)
        }
    }
}
