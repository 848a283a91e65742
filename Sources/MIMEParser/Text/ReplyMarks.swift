/// Recognises the lines that mail programs add around quoted text. Every check reads a limited number of bytes.
struct ReplyMarks: Sendable {
    /// The lines of a header block above a quote.
    struct Labels: OptionSet, Sendable {
        let rawValue: UInt8

        static let from = Labels(rawValue: 1)
        static let sent = Labels(rawValue: 2)
        static let to = Labels(rawValue: 4)
        static let subject = Labels(rawValue: 8)

        var count: Int { rawValue.nonzeroBitCount }
    }

    enum Separator: Sendable {
        case original
        case forwarded
        /// `---- On Tue, 10 Mar 2026 09:00:00 +0100 Bob <bob@acme.example> wrote ----`, of Zoho Mail.
        case attribution
    }

    static let standard = ReplyMarks(ReplyWords.languages)

    private var labels: [String: Labels] = [:]
    private var separators: [String: Separator] = [:]
    private var forwardLines: Set<String> = []
    private var leads: [[UInt8]] = []
    private var verbs: [[UInt8]] = []
    /// The beginnings by their first byte.
    private var devices: [UInt8: [String]] = [:]

    private init(_ languages: [ReplyWords]) {
        for words in languages {
            for word in words.from { labels[word, default: []].formUnion(.from) }
            for word in words.sent { labels[word, default: []].formUnion(.sent) }
            for word in words.to { labels[word, default: []].formUnion(.to) }
            for word in words.subject { labels[word, default: []].formUnion(.subject) }
            for word in words.original { separators[word] = .original }
            for word in words.forwarded { separators[word] = .forwarded }
            forwardLines.formUnion(words.forwardLine)
            leads += words.leads.map { Array($0.utf8) }
            verbs += words.wrote.map { Array($0.utf8) }
            for word in words.device { devices[word.utf8.first ?? 0, default: []].append(word) }
        }
    }

    // MARK: Lines

    /// `>`, after optional blanks.
    static func isQuoted(_ line: ArraySlice<UInt8>) -> Bool {
        line.first { $0 != ASCII.space && $0 != ASCII.tab } == ASCII.greater
    }

    /// `>From `, the escaped form of `From ` in an mbox.
    static func isMboxEscape(_ line: ArraySlice<UInt8>) -> Bool { line.hasPrefix(">From ") }

    /// A line of dashes or underscores only; three dashes are `<hr>` in the text of HTML.
    static func isRule(_ line: ArraySlice<UInt8>) -> Bool {
        let mark = line.trimmed
        guard mark.count >= 3, let first = mark.first, first == ASCII.hyphen || first == ASCII.underscore
        else {
            return false
        }
        return mark.allSatisfy { $0 == first }
    }

    /// The line of 47 underscores with which Mailman begins the text that it adds to each message.
    static func isListRule(_ line: ArraySlice<UInt8>) -> Bool {
        let mark = line.trimmed
        return mark.count == 47 && mark.allSatisfy { $0 == ASCII.underscore }
    }

    /// The meanings of `From:`, `*Von:*` or `De :` at the beginning of a line; some words have several.
    func labels(_ line: ArraySlice<UInt8>) -> Labels {
        let head = line.prefix(40)
        guard let (end, _) = Self.colon(in: head) else { return [] }
        let label = Self.clean(head[..<end])
        return label.isEmpty ? [] : labels[Self.lowercased(label)] ?? []
    }

    /// `-----Original Message-----`, `---------- Forwarded message ---------`.
    func separator(_ line: ArraySlice<UInt8>) -> Separator? {
        let mark = Self.hyphenated(line.trimmed)
        guard mark.count <= 500, mark.hasPrefix("---") else { return nil }
        let word = mark.drop { $0 == ASCII.hyphen || $0 == ASCII.space }
        guard
            let last = word.lastIndex(where: { $0 != ASCII.hyphen && $0 != ASCII.space && $0 != ASCII.colon })
        else { return nil }
        let text = word[...last]
        if hasLead(text), hasVerb(text), Self.hasDate(text), Self.hasAddress(text) { return .attribution }
        return mark.count <= 120 ? separators[Self.lowercased(text)] : nil
    }

    /// With a hyphen for each U+2010, which Proton Mail wrote.
    private static func hyphenated(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard line.starts(with: hyphen), line.count <= 500 else { return line }
        var bytes: [UInt8] = []
        var rest = line
        while let byte = rest.first {
            let isHyphen = rest.starts(with: hyphen)
            bytes.append(isHyphen ? ASCII.hyphen : byte)
            rest = rest.dropFirst(isHyphen ? hyphen.count : 1)
        }
        return bytes[...]
    }

    private static let hyphen: [UInt8] = [0xE2, 0x80, 0x90]

    /// `Begin forwarded message:`
    func isForwardLine(_ line: ArraySlice<UInt8>) -> Bool {
        guard line.count <= 100, let text = Self.beforeLastColon(line) else { return false }
        return forwardLines.contains(Self.lowercased(Self.clean(text)))
    }

    /// `Sent from my …`. The line names a device or a mail program, or is short and says whose device it is: people also
    /// write `Sent via DHL on Monday`.
    func isDevice(_ line: ArraySlice<UInt8>) -> Bool {
        let line = line.trimmed
        guard line.count <= 200, !line.isEmpty else { return false }
        let text = Self.lowercased(line)
        guard devices[text.utf8.first ?? 0]?.contains(where: { text.utf8.starts(with: $0.utf8) }) ?? false
        else { return false }
        if ReplyWords.deviceNames.contains(where: text.contains) { return true }
        return text.count <= Self.longestDevice && !text.contains { ",;:!?".contains($0) }
            && ReplyWords.ownDevices.contains(where: text.contains)
    }

    private static let longestDevice = 60

    // MARK: Attributions

    /// Whether a line begins like an attribution: `On `, `Le `. A lower-case lead continues a sentence: `at 10:00`.
    func hasLead(_ line: ArraySlice<UInt8>) -> Bool {
        let start = Self.clean(line.prefix(24))
        guard let first = start.first, first.lowercasedASCII != first || first >= 0x80 else { return false }
        let head = start.map(\.lowercasedASCII)
        return leads.contains { head.starts(with: $0) }
    }

    func hasVerb(_ line: ArraySlice<UInt8>) -> Bool {
        verbs.contains { Self.contains($0, in: line) }
    }

    static func endsWithColon(_ line: ArraySlice<UInt8>) -> Bool { beforeLastColon(line) != nil }

    static func hasAddress(_ line: ArraySlice<UInt8>) -> Bool {
        guard let at = line.firstIndex(of: ASCII.at) else { return false }
        return at > line.startIndex && at + 1 < line.endIndex && line[at - 1].isAtomText
            && line[at + 1].isAtomText
    }

    /// A year and a time of day.
    static func hasDate(_ line: ArraySlice<UInt8>) -> Bool {
        var hasYear = false
        var hasTime = false
        var index = line.startIndex
        while index < line.endIndex {
            let digits = line[index...].prefix(while: \.isDigit)
            guard !digits.isEmpty else {
                index += 1
                continue
            }
            if digits.count == 4, digits.hasPrefix("19") || digits.hasPrefix("20") { hasYear = true }
            if digits.count <= 2, digits.endIndex + 2 < line.endIndex,
                line[digits.endIndex] == ASCII.colon || line[digits.endIndex] == ASCII.dot,
                line[digits.endIndex + 1].isDigit, line[digits.endIndex + 2].isDigit
            {
                hasTime = true
            }
            index = digits.endIndex
        }
        return hasYear && hasTime
    }

    // MARK: Bytes

    /// The first colon, of ASCII or of full width.
    private static func colon(in bytes: ArraySlice<UInt8>) -> (start: Int, end: Int)? {
        for index in bytes.indices {
            if bytes[index] == ASCII.colon { return (index, index + 1) }
            if bytes[index] == 0xEF, bytes[index...].starts(with: wideColon) { return (index, index + 3) }
        }
        return nil
    }

    /// The line up to a colon that is its last character.
    private static func beforeLastColon(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let text = clean(line)
        if text.last == ASCII.colon { return text.dropLast() }
        return text.count >= 3 && text.suffix(3).elementsEqual(wideColon) ? text.dropLast(3) : nil
    }

    private static let wideColon: [UInt8] = [0xEF, 0xBC, 0x9A]

    /// Without blanks, no-break spaces, marks of direction and the `*` of bold text on either side.
    private static func clean(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var text = bytes
        while true {
            if let first = text.first, first.isBlank || first == UInt8(ascii: "*") {
                text = text.dropFirst()
            } else if text.starts(with: [0xC2, 0xA0]) {
                text = text.dropFirst(2)
            } else if isInvisible(text.prefix(3)) {
                text = text.dropFirst(3)
            } else if let last = text.last, last.isBlank || last == UInt8(ascii: "*") {
                text = text.dropLast()
            } else if text.suffix(2).elementsEqual([0xC2, 0xA0]) {
                text = text.dropLast(2)
            } else if isInvisible(text.suffix(3)) {
                text = text.dropLast(3)
            } else {
                return text
            }
        }
    }

    /// A narrow no-break space, or a mark of direction, which programs put around Hebrew and Arabic.
    private static func isInvisible(_ bytes: ArraySlice<UInt8>) -> Bool {
        let start = bytes.startIndex
        guard bytes.count == 3, bytes[start] == 0xE2 else { return false }
        switch (bytes[start + 1], bytes[start + 2]) {
        case (0x80, 0xAF), (0x80, 0x8E...0x8F), (0x80, 0xAA...0xAE), (0x81, 0xA6...0xA9): return true
        case _: return false
        }
    }

    private static func lowercased(_ bytes: ArraySlice<UInt8>) -> String { bytes.text.lowercased() }

    private static func contains(_ word: [UInt8], in line: ArraySlice<UInt8>) -> Bool {
        guard let first = word.first else { return false }
        var rest = line
        while let index = rest.firstIndex(of: first) {
            rest = rest[index...]
            if rest.starts(with: word) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}
