/// One field where it stands: nothing is copied or decoded.
struct RawField: Sendable {
    var name: Range<Int>
    var body: Range<Int>
}

/// Reads one header block: fields until an empty line. RFC 5322 §2.2.
struct HeaderReader {
    let lines: LineReader
    let limits: MIMELimits
    /// Where the innermost boundary that could end the block is asked for; only for lines that begin with `--`.
    let isBoundary: (Int) -> Bool
    private(set) var fields: [RawField] = []
    /// With the empty line.
    private(set) var range: Range<Int> = 0..<0

    init(lines: LineReader, limits: MIMELimits, isBoundary: @escaping (Int) -> Bool = { _ in false }) {
        self.lines = lines
        self.limits = limits
        self.isBoundary = isBoundary
    }

    /// Reads the block that begins at `start`.
    mutating func read(from start: Int, to limit: Int, defects: inout DefectLog) {
        var start = start
        if isMboxLine(at: start, limit: limit) {
            defects.add(.mboxLine, at: start)
            start = lines.line(at: start, limit: limit).next
        }
        var position = start
        var isCut = false
        while position < limit {
            let line = lines.line(at: position, limit: limit)
            if line.start == line.end {
                position = line.next
                break
            }
            if startsWithDashes(line), isBoundary(position) { break }
            guard accept(line, start: start, isCut: &isCut, defects: &defects) else { break }
            position = line.next
        }
        range = start..<position
        cutFields(defects: &defects)
    }

    /// Takes a line as field, as continuation, or as nothing; false when the body begins here.
    private mutating func accept(
        _ line: LineReader.Line, start: Int, isCut: inout Bool, defects: inout DefectLog
    ) -> Bool {
        let first = lines.bytes[line.start]
        if first == ASCII.space || first == ASCII.tab, let last = fields.last {
            if !isCut { fields[fields.count - 1].body = last.body.lowerBound..<line.end }
            return true
        }
        guard let colon = colon(in: line) else {
            if fields.isEmpty {
                defects.add(.missingHeaderEnd, at: line.start)
                return false
            }
            defects.add(.lineWithoutColon, at: line.start)
            return true
        }
        if !isCut { isCut = !append(line, colon, blockEnd: start + limits.headerBlock, defects: &defects) }
        return true
    }

    /// Keeps a field; false when it is the last one that is kept.
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

    /// A name, perhaps blanks, a colon.
    private func colon(in line: LineReader.Line) -> (nameEnd: Int, index: Int)? {
        var index = line.start
        while index < line.end, lines.bytes[index].isHeaderName { index += 1 }
        let nameEnd = index
        while index < line.end, lines.bytes[index] == ASCII.space || lines.bytes[index] == ASCII.tab {
            index += 1
        }
        guard nameEnd > line.start, nameEnd - line.start <= 256, index < line.end,
            lines.bytes[index] == ASCII.colon
        else { return nil }
        return (nameEnd, index)
    }

    private func isMboxLine(at start: Int, limit: Int) -> Bool {
        let head = lines.bytes[start..<min(start + 6, limit)]
        return head.hasPrefix("From ") || head.hasPrefix(">From ")
    }

    private func startsWithDashes(_ line: LineReader.Line) -> Bool {
        line.end - line.start >= 2 && lines.bytes[line.start] == ASCII.hyphen
            && lines.bytes[line.start + 1] == ASCII.hyphen
    }

    private mutating func cutFields(defects: inout DefectLog) {
        for index in fields.indices {
            let field = fields[index]
            if field.body.count > limits.headerField {
                defects.add(.headerFieldTooLarge, at: field.name.lowerBound)
                fields[index].body = field.body.lowerBound..<(field.body.lowerBound + limits.headerField)
            }
            let body = fields[index].body
            // A word takes eight bytes at least: shorter fields cannot hold too many.
            if body.count > limits.encodedWords * 8,
                EncodedWord.count(in: lines.bytes[body]) > limits.encodedWords
            {
                defects.add(.tooManyEncodedWords, at: field.name.lowerBound)
            }
        }
    }
}
