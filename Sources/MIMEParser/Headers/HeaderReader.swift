/// The position of one field; nothing is copied or decoded.
struct RawField: Sendable {
    var name: Range<Int>
    var body: Range<Int>
}

extension [RawField] {
    /// The fields of this name, compared without case.
    func named(_ name: String, in bytes: [UInt8]) -> [RawField] {
        let wanted = name.utf8.map(\.lowercasedASCII)
        return filter { bytes[$0.name].map(\.lowercasedASCII) == wanted }
    }
}

/// Reads one header block: fields up to an empty line, or up to a line that must belong to the body. RFC 5322 §2.2.
struct HeaderReader {
    let lines: LineReader
    let limits: MIMELimits
    /// The multiparts around the block; their boundaries end it.
    let boundaries: OpenBoundaries
    private(set) var fields: [RawField] = []
    /// Including the empty line.
    private(set) var range: Range<Int> = 0..<0

    /// The boundary that a field of this block declares. Fields before `searched` have been checked.
    private var ownBoundary: [UInt8] = []
    private var searched = 0
    /// Whether a limit was reached, so that no more fields are kept.
    private var isCut = false

    init(lines: LineReader, limits: MIMELimits, boundaries: OpenBoundaries = OpenBoundaries()) {
        self.lines = lines
        self.limits = limits
        self.boundaries = boundaries
    }

    /// Reads the block that begins at `start`.
    ///
    /// `mayBeginBlank`: whether empty lines may precede it, as in files that some programs save.
    mutating func read(
        from start: Int, to limit: Int, mayBeginBlank: Bool = false, defects: inout DefectLog
    ) {
        var start = skipPreface(from: start, to: limit, defects: &defects)
        if mayBeginBlank {
            let blank = start
            start = skipBlankLines(from: start, to: limit)
            if start > blank { start = skipPreface(from: start, to: limit, defects: &defects) }
            let text = skipIndent(from: start, to: limit)
            if text > start { defects.add(.lineWithoutColon, at: start) }
            start = text
        }
        var position = start
        while position < limit {
            let line = lines.line(at: position, limit: limit)
            if line.start == line.end {
                position = line.next
                break
            }
            if startsWithDashes(line), boundaries.match(lines.bytes, lineStart: position) != nil { break }
            guard accept(line, start: start, limit: limit, defects: &defects) else { break }
            position = line.next
        }
        range = start..<position
        cutFields(defects: &defects)
        inspect(defects: &defects)
    }

    /// Skips a byte order mark and the `From ` line of an mbox.
    private func skipPreface(from start: Int, to limit: Int, defects: inout DefectLog) -> Int {
        var start = start
        if start == 0, lines.bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            defects.add(.byteOrderMark, at: 0)
            start = 3
        }
        // A mailbox saved in another mailbox has two such lines; the second one is quoted.
        for _ in 0..<2 where isMboxLine(at: start, limit: limit) {
            defects.add(.mboxLine, at: start)
            start = lines.line(at: start, limit: limit).next
        }
        return start
    }

    /// The beginning of a header after blank lines. If the text after them is not the header of a message, they end an
    /// empty header.
    private func skipBlankLines(from start: Int, to limit: Int) -> Int {
        var position = start
        for _ in 0..<Self.mostBlankLines where position < limit {
            let line = lines.line(at: position, limit: limit)
            guard lines.bytes[line.start..<line.end].allSatisfy(\.isBlank) else {
                guard position > start else { return start }
                let first = isMboxLine(at: position, limit: limit) ? line.next : position
                return isHeaderOfMessage(at: first, limit: limit) ? position : start
            }
            position = line.next
        }
        return start
    }

    /// The beginning of a header whose first line is indented, or is the end of a field that was cut off.
    private func skipIndent(from start: Int, to limit: Int) -> Int {
        guard start < limit, lines.bytes[start] == ASCII.space || lines.bytes[start] == ASCII.tab else {
            return start
        }
        let line = lines.line(at: start, limit: limit)
        guard let text = lines.bytes[line.start..<line.end].firstIndex(where: { !$0.isBlank }) else {
            return start
        }
        for next in [text, line.next] where isHeaderOfMessage(at: next, limit: limit) { return next }
        return start
    }

    /// Whether only fields follow up to an empty line, and one of them is typical of messages.
    private func isHeaderOfMessage(at start: Int, limit: Int) -> Bool {
        var position = start
        var isKnown = false
        for _ in 0..<Self.mostLinesLookedAt where position < limit {
            let line = lines.line(at: position, limit: limit)
            if line.start == line.end { break }
            let first = lines.bytes[line.start]
            if first != ASCII.space && first != ASCII.tab || position == start {
                guard let colon = colon(in: line) else { return false }
                let name = lines.bytes[line.start..<colon.nameEnd]
                // Such a field alone begins a header, whatever follows.
                if Self.messageFields.contains(where: { name.isWord($0) }) {
                    if position == start { return true }
                    isKnown = true
                }
            }
            position = line.next
        }
        return isKnown
    }

    private static let mostBlankLines = 8
    private static let mostLinesLookedAt = 200
    private static let messageFields: [StaticString] = [
        "received", "return-path", "delivered-to", "from", "to", "cc", "subject", "date", "message-id",
        "mime-version", "content-type", "reply-to", "sender", "x-mailer", "dkim-signature",
    ]

    // MARK: Lines

    /// Reads a line as a field or a continuation, or skips it; false: the body begins here.
    private mutating func accept(
        _ line: LineReader.Line, start: Int, limit: Int, defects: inout DefectLog
    ) -> Bool {
        let first = lines.bytes[line.start]
        if first == ASCII.space || first == ASCII.tab, let last = fields.last {
            if !isCut { fields[fields.count - 1].body = last.body.lowerBound..<line.end }
            return true
        }
        guard let colon = colon(in: line) else {
            // Without a field before it, only a field without a name belongs to the header.
            let isText = fields.isEmpty && first != ASCII.colon
            if isText || isOwnBoundary(line) || !isInsideHeader(line, limit: limit) {
                defects.add(.missingHeaderEnd, at: line.start)
                return false
            }
            defects.add(.lineWithoutColon, at: line.start)
            return true
        }
        if !isCut { isCut = !append(line, colon, blockEnd: start + limits.headerBlock, defects: &defects) }
        return true
    }

    /// Whether a field follows soon after a line that is not one. Otherwise the empty line is missing, and the line is
    /// text.
    private func isInsideHeader(_ line: LineReader.Line, limit: Int) -> Bool {
        var line = line
        for _ in 0..<8 where line.next < limit {
            line = lines.line(at: line.next, limit: limit)
            if line.start == line.end { return false }
            if colon(in: line) != nil { return true }
        }
        return false
    }

    /// Whether the line is the boundary of this multipart, in place of the empty line.
    private mutating func isOwnBoundary(_ line: LineReader.Line) -> Bool {
        guard startsWithDashes(line) else { return false }
        while ownBoundary.isEmpty, searched < fields.count {
            let field = fields[searched]
            searched += 1
            guard lines.bytes[field.name].isWord("content-type") else { continue }
            ownBoundary = ContentType(lines.bytes[field.body], default: .plainText, limits: limits).delimiter
            searched = .max
        }
        guard !ownBoundary.isEmpty else { return false }
        return lines.bytes[(line.start + 2)..<line.end].starts(with: ownBoundary)
    }

    /// Keeps a field; false: it is the last one that is kept.
    private mutating func append(
        _ line: LineReader.Line, _ colon: (nameEnd: Int, index: Int), blockEnd: Int, defects: inout DefectLog
    ) -> Bool {
        guard fields.count < limits.headerFields else {
            defects.add(.tooManyHeaderFields, at: line.start)
            return false
        }
        let isWhole = line.end <= blockEnd
        if !isWhole { defects.add(.headerBlockTooLarge, at: line.start) }
        if colon.index < blockEnd {
            let body = (colon.index + 1)..<min(line.end, blockEnd)
            fields.append(RawField(name: line.start..<colon.nameEnd, body: body))
        }
        return isWhole
    }

    /// Finds the colon after the name and optional blanks.
    private func colon(in line: LineReader.Line) -> (nameEnd: Int, index: Int)? {
        let end = min(line.end, line.start + 512)
        return lines.bytes.withUnsafeBufferPointer { bytes in
            var index = line.start
            while index < end, bytes[index].isHeaderName { index += 1 }
            let nameEnd = index
            while index < end, bytes[index] == ASCII.space || bytes[index] == ASCII.tab { index += 1 }
            guard nameEnd > line.start, nameEnd - line.start <= 256, index < end,
                bytes[index] == ASCII.colon
            else { return nil }
            return (nameEnd, index)
        }
    }

    private func isMboxLine(at start: Int, limit: Int) -> Bool {
        guard start < limit else { return false }
        let head = lines.bytes[start..<min(start + 6, limit)]
        return head.hasPrefix("From ") || head.hasPrefix(">From ")
    }

    private func startsWithDashes(_ line: LineReader.Line) -> Bool {
        line.end - line.start >= 2 && lines.bytes[line.start] == ASCII.hyphen
            && lines.bytes[line.start + 1] == ASCII.hyphen
    }

    // MARK: The block as a whole

    private mutating func cutFields(defects: inout DefectLog) {
        for index in fields.indices {
            let field = fields[index]
            if field.body.count > limits.headerField {
                defects.add(.headerFieldTooLarge, at: field.name.lowerBound)
                fields[index].body = field.body.lowerBound..<(field.body.lowerBound + limits.headerField)
            }
            let body = fields[index].body
            // An encoded word has at least eight bytes, so shorter fields cannot have too many.
            if body.count > limits.encodedWords * 8,
                EncodedWord.count(in: lines.bytes[body]) > limits.encodedWords
            {
                defects.add(.tooManyEncodedWords, at: field.name.lowerBound)
            }
        }
    }

    /// Records bytes that are not allowed in a header: NUL, a CR that does not end a line, bytes that are not UTF-8.
    /// RFC 6532 §3.
    private func inspect(defects: inout DefectLog) {
        let looked = range.lowerBound..<min(range.upperBound, range.lowerBound + limits.headerBlock)
        if let nul = LineReader.find(
            ASCII.nul, in: lines.bytes, from: looked.lowerBound, to: looked.upperBound)
        {
            defects.add(.nulByte, at: nul)
        }
        if let cr = lines.strayCR(in: looked) { defects.add(.bareCR, at: cr) }
        if let bad = UTF8Check.firstInvalid(lines.bytes, in: looked) { defects.add(.headerNotUTF8, at: bad) }
    }
}
