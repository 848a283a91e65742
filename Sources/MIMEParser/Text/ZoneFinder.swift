/// Determines the kind of each line: first quotes, then the lines above them, then quotes without `>`, then signatures.
/// Each pass reads a line a limited number of times.
struct ZoneFinder {
    struct Line {
        var start: Int
        /// Without the line end.
        var end: Int
        var next: Int
    }

    private(set) var lines: [Line] = []
    private(set) var kinds: [TextZone.Kind]
    private let bytes: [UInt8]
    private let marks = ReplyMarks.standard
    /// The labels of each own line, to find header blocks.
    private var labels: [ReplyMarks.Labels] = []

    init(_ text: String) {
        bytes = Array(text.utf8)
        var start = 0
        while let line = ByteLine(in: bytes[...], at: start) {
            lines.append(Line(start: start, end: line.content.upperBound, next: line.next))
            start = line.next
        }
        kinds = Array(repeating: .own, count: lines.count)
    }

    mutating func find() {
        markQuotes()
        markAttributions()
        markBlocks()
        markSignatures()
        fillEmptyLines()
        markFootnotes()
    }

    private func content(_ index: Int) -> ArraySlice<UInt8> { bytes[lines[index].start..<lines[index].end] }
    private func isEmpty(_ index: Int) -> Bool { content(index).isBlank }
    private func isOwn(_ index: Int) -> Bool { kinds[index] == .own && !isEmpty(index) }

    private mutating func mark(_ range: Range<Int>, _ kind: TextZone.Kind) {
        for index in range { kinds[index] = kind }
    }

    /// The next line that is not empty, at most `reach` lines away.
    private func filled(from index: Int, step: Int, reach: Int = 3) -> Int? {
        var index = index
        for _ in 0..<reach {
            guard lines.indices.contains(index) else { return nil }
            if !isEmpty(index) { return index }
            index += step
        }
        return nil
    }

    // MARK: Quotes

    private mutating func markQuotes() {
        for index in lines.indices where ReplyMarks.isQuoted(content(index)) { kinds[index] = .quote }
        for index in lines.indices where ReplyMarks.isMboxEscape(content(index)) {
            let isAlone =
                (index == 0 || kinds[index - 1] != .quote)
                && (index + 1 == lines.count || kinds[index + 1] != .quote)
            if isAlone { kinds[index] = .own }
        }
    }

    private mutating func markAttributions() {
        let hasQuotes = kinds.contains(.quote)
        for index in lines.indices where hasQuotes && kinds[index] == .quote {
            guard index > 0, kinds[index - 1] != .quote, let last = filled(from: index - 1, step: -1),
                isOwn(last), let attribution = attribution(endingAt: last)
            else { continue }
            mark(attribution.lowerBound..<index, .attribution)
        }
        for index in lines.indices where !hasQuotes && isOwn(index) {
            guard let attribution = attribution(endingAt: index, needsAddress: true),
                let quote = filled(from: index + 1, step: 1)
            else { continue }
            mark(attribution.lowerBound..<quote, .attribution)
            markUnmarkedQuote(from: quote)
            return
        }
    }

    /// Old programs quote with `|`. Some mark nothing; then the quote is everything that follows.
    private mutating func markUnmarkedQuote(from start: Int) {
        var end = start
        while end < lines.count, content(end).trimmed.first == UInt8(ascii: "|") { end += 1 }
        mark(start..<(end > start ? end : lines.count), .quote)
    }

    /// One to three lines that say who wrote what follows.
    private func attribution(endingAt last: Int, needsAddress: Bool = false) -> ClosedRange<Int>? {
        guard (6...500).contains(content(last).count), ReplyMarks.endsWithColon(content(last)) else {
            return nil
        }
        let start = attributionStart(endingAt: last)
        let text = bytes[lines[start ?? last].start..<lines[last].end]
        guard text.count <= 1_000 else { return nil }
        let hasAddress = ReplyMarks.hasAddress(text)
        if marks.hasVerb(text) {
            if needsAddress {
                return start.flatMap { hasAddress && ReplyMarks.hasDate(text) ? $0...last : nil }
            }
            return (start ?? last)...last
        }
        // Gmail in Russian and Japanese writes no verb.
        guard !needsAddress, hasAddress, ReplyMarks.hasDate(text) else { return nil }
        return (start ?? last)...last
    }

    /// The nearest line that begins like an attribution or holds its date.
    private func attributionStart(endingAt last: Int) -> Int? {
        var dated: Int?
        for index in stride(from: last, through: max(0, last - 2), by: -1) {
            guard isOwn(index), content(index).count <= 500 else { break }
            let line = content(index)
            // A sentence that ends above the attribution is not part of it.
            if index < last, let end = line.trimmed.last,
                end == ASCII.dot || end == UInt8(ascii: "!") || end == ASCII.question
            {
                break
            }
            if marks.hasLead(line) { return index }
            if dated == nil, ReplyMarks.hasDate(line) { dated = index }
        }
        return dated
    }

    // MARK: Blocks

    /// The first line that begins a quoted or forwarded message without `>`; the message goes to the end.
    private mutating func markBlocks() {
        labels = lines.indices.map { kinds[$0] == .own ? marks.labels(content($0)) : [] }
        for index in lines.indices where isOwn(index) {
            let line = content(index)
            if let separator = marks.separator(line) {
                switch separator {
                case .original:
                    let next = filled(from: index + 1, step: 1)
                    markOriginal(from: index, headerEnd: next.flatMap { headerBlock(at: $0)?.end })
                case .forwarded: mark(index..<lines.count, .forwarded)
                case .attribution:
                    guard let next = filled(from: index + 1, step: 1) else { continue }
                    mark(index..<next, .attribution)
                    if kinds[next] == .quote { continue }
                    markUnmarkedQuote(from: next)
                }
                return
            }
            if marks.isForwardLine(line), let next = filled(from: index + 1, step: 1), beginsMessage(next) {
                mark(index..<lines.count, .forwarded)
                return
            }
            if let block = headerBlock(at: index), isOfMail(block) {
                let rule = index > 0 ? filled(from: index - 1, step: -1, reach: 2) : nil
                let start = rule.flatMap { ReplyMarks.isRule(content($0)) ? $0 : nil } ?? index
                markOriginal(from: start, headerEnd: block.end)
                return
            }
        }
    }

    private mutating func markOriginal(from start: Int, headerEnd: Int?) {
        let end = headerEnd ?? start + 1
        mark(start..<end, .attribution)
        mark(end..<lines.count, .quote)
    }

    private func beginsMessage(_ index: Int) -> Bool {
        kinds[index] == .quote || !labels[index].isEmpty
    }

    /// Lines that look like the header of a mail.
    private struct HeaderBlock {
        var lines: Range<Int>
        var labels: ReplyMarks.Labels
        var end: Int { lines.upperBound }
    }

    /// `From:` or `Sent:`, and two other labels on lines without a gap, one of which is `From:`.
    private func headerBlock(at start: Int) -> HeaderBlock? {
        guard !labels[start].isDisjoint(with: [.from, .sent]) else { return nil }
        var found: ReplyMarks.Labels = []
        var index = start
        while index < lines.count, index < start + 12, !isEmpty(index) {
            found.formUnion(labels[index])
            index += 1
        }
        guard found.count >= 3, found.contains(.from) else { return nil }
        return HeaderBlock(lines: start..<index, labels: found)
    }

    /// Whether it needs no line such as `Original Message` above it: a person may write `From:`, `To:` and `Date:` about
    /// a journey. Only some programs begin with `Sent:`, and they write addresses.
    private func isOfMail(_ block: HeaderBlock) -> Bool {
        let hasAddress = block.lines.contains { ReplyMarks.hasAddress(content($0)) }
        guard labels[block.lines.lowerBound].contains(.from) else {
            return hasAddress && block.labels.count == 4
        }
        return hasAddress || block.labels.contains(.subject)
    }

    // MARK: Signatures

    private mutating func markSignatures() {
        var index = 0
        while index < lines.count {
            guard kinds[index] == .own else {
                index += 1
                continue
            }
            var end = index
            while end < lines.count, kinds[end] == .own { end += 1 }
            markSignature(in: index..<end)
            index = end
        }
    }

    /// In a stretch of own lines: from the first `-- `, and what a telephone put at the end.
    private mutating func markSignature(in range: Range<Int>) {
        var end = range.upperBound
        if let footer = listFooter(in: range) {
            mark(footer..<end, .signature)
            end = footer
        }
        if let start = range.prefix(while: { $0 < end }).first(where: {
            content($0).elementsEqual("-- ".utf8)
        })
            ?? bareSignature(in: range.lowerBound..<end)
        {
            mark(start..<end, .signature)
            end = start
        }
        markDevice(in: range.lowerBound..<end)
    }

    /// The text that a mailing list adds at the end of a message: a long line, and at most ten more, one of which has an
    /// address of the list. A form may have the same line.
    private func listFooter(in range: Range<Int>) -> Int? {
        guard let start = range.last(where: { ReplyMarks.isListRule(content($0)) }) else { return nil }
        let rest = (start + 1)..<range.upperBound
        guard rest.count(where: { !isEmpty($0) }) <= 10 else { return nil }
        let isOfList = rest.contains { index in
            ReplyMarks.hasAddress(content(index)) || content(index).firstRange(of: "://".utf8) != nil
        }
        return isOfList ? start : nil
    }

    /// The line `--` that begins a signature: many programs on telephones write it without its blank, others lose it.
    ///
    /// Such a line also parts paragraphs, so it counts only if it is the only one, if few lines follow, and if the first
    /// of them is short and not a sentence, such as a name.
    private func bareSignature(in range: Range<Int>) -> Int? {
        let bare = range.filter { content($0).elementsEqual("--".utf8) }
        guard bare.count == 1, let start = bare.first, range.upperBound - start <= Self.longestBareSignature
        else {
            return nil
        }
        guard let first = filled(from: start + 1, step: 1, reach: range.upperBound - start - 1) else {
            return start
        }
        let line = content(first).trimmed
        return marks.isDevice(line) || line.count <= Self.longestName && !Self.isSentence(line) ? start : nil
    }

    private static let longestBareSignature = 15
    private static let longestName = 80

    /// Four words or more with the mark of a sentence at the end.
    private static func isSentence(_ line: ArraySlice<UInt8>) -> Bool {
        let isEnded = line.last.map { ".?!:;,".utf8.contains($0) } ?? false
        return isEnded && line.split(whereSeparator: \.isBlank).count >= 4
    }

    private mutating func markDevice(in range: Range<Int>) {
        var end = range.upperBound
        for _ in 0..<2 {
            guard let last = range.prefix(while: { $0 < end }).last(where: { !isEmpty($0) }),
                marks.isDevice(content(last))
            else { return }
            mark(last..<end, .signature)
            end = last
        }
    }

    // MARK: Rests

    /// Empty lines belong to the lines above them.
    private mutating func fillEmptyLines() {
        for index in lines.indices.dropFirst() where isEmpty(index) { kinds[index] = kinds[index - 1] }
    }

    /// Link targets under text made from HTML belong to the lines above them.
    private mutating func markFootnotes() {
        var start = lines.count
        while start > 0, isFootnote(start - 1) { start -= 1 }
        guard start > 0, start < lines.count, isEmpty(start - 1) else { return }
        mark(start..<lines.count, kinds[start - 1])
    }

    /// `[1] https://example.org/`
    private func isFootnote(_ index: Int) -> Bool {
        let line = content(index)
        guard line.first == ASCII.leftBracket else { return false }
        let digits = line.dropFirst().prefix(while: \.isDigit)
        let rest = line[digits.endIndex...]
        return !digits.isEmpty && rest.hasPrefix("] ")
    }
}
