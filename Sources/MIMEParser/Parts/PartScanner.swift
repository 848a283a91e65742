/// Finds the parts of a message in one pass over its lines. RFC 2046 §5.1.
///
/// It keeps the open parts, from the message to the current part, each multipart with its boundary. It compares each
/// line that begins with `--` with these, at most ``MIMELimits/depth`` of them: the longest match wins, because one
/// boundary may be a prefix of another. There is no recursion, and only the fields that determine the ends of parts are
/// decoded.
struct PartScanner {
    private(set) var parts: [Part] = []
    private(set) var fields: [RawField] = []
    private(set) var log = DefectLog()

    private let lines: LineReader
    private let limits: MIMELimits
    private let end: Int
    private var open: [OpenPart] = []
    /// The boundaries of the parts in `open`, at the same indexes.
    private var boundaries = OpenBoundaries()

    /// A part whose end has not come yet.
    private struct OpenPart {
        var part: Int
        /// Whether it is a multipart with a boundary.
        var hasBoundary: Bool
        /// Whether the closing boundary has come.
        var isClosed = false
    }

    /// The beginning of a part at `start`.
    private struct Beginning {
        var start: Int
        var parent: Int?
        var fallback: ContentType
    }

    private struct Delimiter {
        /// The index of its multipart in `open`.
        var level: Int
        var line: LineReader.Line
        var isClosing: Bool
    }

    init(_ bytes: [UInt8], limits: MIMELimits) {
        lines = LineReader(bytes)
        self.limits = limits
        end = bytes.count
    }

    mutating func run() {
        var beginning: Beginning? = Beginning(start: 0, parent: nil, fallback: .plainText)
        var position = 0
        while true {
            if let next = beginning {
                position = begin(next)
                beginning = embedded(at: position)
                continue
            }
            guard let delimiter = nextDelimiter(from: position) else { break }
            close(above: delimiter.level, at: delimiter.line.start)
            position = delimiter.line.next
            if delimiter.isClosing {
                boundaries.close(delimiter.level)
                open[delimiter.level].isClosed = true
                continue
            }
            guard parts.count < limits.parts else {
                log.add(.tooManyParts, at: delimiter.line.start)
                break
            }
            beginning = child(of: open[delimiter.level].part, at: position)
        }
        finish()
    }

    // MARK: Beginning

    /// Reads the header of a part and opens it. Returns the beginning of its body.
    private mutating func begin(_ beginning: Beginning) -> Int {
        var reader = HeaderReader(lines: lines, limits: limits, boundaries: boundaries)
        reader.read(
            from: beginning.start, to: end, mayBeginBlank: beginning.parent == nil, defects: &log)
        if beginning.parent == nil { fields = reader.fields }

        let depth = beginning.parent.map { parts[$0].depth + 1 } ?? 1
        var part = Part(
            index: parts.count, parent: beginning.parent, section: SectionPath([]), depth: depth,
            headerRange: reader.range, bodyRange: reader.range.upperBound..<end)
        read(reader.fields, into: &part, fallback: beginning.fallback)
        let boundary = openContainer(&part)
        part.section = section(of: part)
        if let parent = beginning.parent { parts[parent].children.append(part.index) }
        parts.append(part)
        open.append(OpenPart(part: part.index, hasBoundary: !boundary.isEmpty))
        boundaries.append(boundary)
        return reader.range.upperBound
    }

    /// Reads the fields that determine the kind of a part. If a field is repeated, the first one counts.
    private mutating func read(_ fields: [RawField], into part: inout Part, fallback: ContentType) {
        part.contentType = fallback
        var typeField: Range<Int>?
        for field in fields {
            let name = lines.bytes[field.name]
            guard name.count >= 10, name[name.startIndex] | 0x20 == UInt8(ascii: "c") else { continue }
            if name.isWord("content-type") {
                keep(field, in: &typeField)
            } else if name.isWord("content-transfer-encoding") {
                keep(field, in: &part.encodingField)
            } else if name.isWord("content-disposition") {
                keep(field, in: &part.dispositionField)
            } else if name.isWord("content-id") {
                keep(field, in: &part.contentIDField)
            }
        }
        if let field = part.dispositionField { countParameters(field) }
        if let typeField { readType(typeField, into: &part, fallback: fallback) }
        if let field = part.encodingField {
            part.transferEncoding = TransferEncoding(lines.bytes[field])
            if part.transferEncoding == .unknown { log.add(.unknownTransferEncoding, at: field.lowerBound) }
        }
    }

    /// The other fields are not read now, but a field beyond its limit has to be reported anyway.
    private mutating func countParameters(_ field: Range<Int>) {
        guard field.count > limits.parameters * 2 else { return }
        let count = lines.bytes[field].count { $0 == ASCII.semicolon }
        if count > limits.parameters { log.add(.tooManyParameters, at: field.lowerBound) }
    }

    private mutating func keep(_ field: RawField, in place: inout Range<Int>?) {
        if place == nil {
            place = field.body
        } else {
            log.add(.repeatedContentField, at: field.name.lowerBound)
        }
    }

    private mutating func readType(_ field: Range<Int>, into part: inout Part, fallback: ContentType) {
        part.contentType = ContentType(lines.bytes[field], default: fallback, limits: limits)
        if part.contentType.parameters.isCut { log.add(.tooManyParameters, at: field.lowerBound) }
        if part.contentType.type == "text", let label = part.contentType.charset, Charset(label: label) == nil
        {
            log.add(.unknownCharset, at: field.lowerBound)
        }
    }

    /// Decides whether a part holds others; the boundary of a multipart.
    private mutating func openContainer(_ part: inout Part) -> [UInt8] {
        guard part.contentType.isMultipart || part.contentType.isMessage else { return [] }
        guard part.depth < limits.depth else {
            log.add(.tooDeep, at: part.headerRange.lowerBound)
            return []
        }
        if part.contentType.isMessage {
            // An encoded message is a file like any other: its lines are not in our bytes.
            part.isContainer = part.transferEncoding == .identity && parts.count + 1 < limits.parts
            return []
        }
        let boundary = part.contentType.delimiter
        guard !boundary.isEmpty else {
            log.add(.missingBoundary, at: part.headerRange.lowerBound)
            return []
        }
        if boundary.count > 70 { log.add(.longBoundary, at: part.headerRange.lowerBound) }
        part.isContainer = true
        return boundary
    }

    private func section(of part: Part) -> SectionPath {
        let isMultipart = part.contentType.isMultipart && part.isContainer
        guard let index = part.parent else { return SectionPath(isMultipart ? [] : [1]) }
        let parent = parts[index]
        if parent.contentType.isMessage {
            return isMultipart ? parent.section : parent.section.appending(1)
        }
        return parent.section.appending(parent.children.count + 1)
    }

    /// After a message/rfc822 header the message inside begins at once.
    private func embedded(at start: Int) -> Beginning? {
        guard let last = parts.last, last.isContainer, last.contentType.isMessage else { return nil }
        return Beginning(start: start, parent: last.index, fallback: .plainText)
    }

    private func child(of multipart: Int, at start: Int) -> Beginning {
        let isDigest = parts[multipart].contentType.subtype == "digest"
        return Beginning(start: start, parent: multipart, fallback: isDigest ? .message : .plainText)
    }

    // MARK: Boundaries

    private mutating func nextDelimiter(from start: Int) -> Delimiter? {
        var position = start
        while boundaries.isWatching, let dashed = lines.dashedLine(from: position) {
            if let (level, length) = boundaries.match(lines.bytes, lineStart: dashed) {
                return delimiter(level: level, dashed: dashed, length: length)
            }
            if boundaries.matchClosed(lines.bytes, lineStart: dashed) {
                log.add(.boundaryAfterClose, at: dashed)
            }
            position = lines.line(at: dashed, limit: end).next
        }
        return nil
    }

    private mutating func delimiter(level: Int, dashed: Int, length: Int) -> Delimiter {
        let line = lines.line(at: dashed, limit: end)
        let rest = lines.bytes[(dashed + 2 + length)..<max(line.end, dashed + 2 + length)]
        // Blanks at the end of the boundary parameter are not part of the boundary, and may be on its lines.
        let behind = rest.drop { $0.isBlank }
        let isClosing = rest.hasPrefix("--") || (behind.hasPrefix("--") && behind.dropFirst(2).isBlank)
        if !behind.dropFirst(isClosing ? 2 : 0).isBlank { log.add(.textAfterBoundary, at: dashed) }
        return Delimiter(level: level, line: line, isClosing: isClosing)
    }

    // MARK: Ending

    /// A boundary at `lineStart` ends every part inside its multipart.
    private mutating func close(above level: Int, at lineStart: Int) {
        for inner in open[(level + 1)...].reversed() {
            let part = parts[inner.part]
            // A header without its empty line keeps its line break; then its parents cannot end before that.
            let low = part.children.last.map { parts[$0].range.upperBound } ?? part.bodyRange.lowerBound
            let bodyEnd = lines.endBefore(lineStart, notBefore: low)
            parts[inner.part].bodyRange = part.bodyRange.lowerBound..<bodyEnd
            settle(inner, isEnded: true, at: lineStart)
        }
        open.removeSubrange((level + 1)...)
        boundaries.removeAll(above: level)
    }

    private mutating func finish() {
        // At the end of the bytes a part is whole when no multipart round it still waits for its boundary.
        var waits = false
        for last in open {
            waits = waits || (last.hasBoundary && !last.isClosed)
            settle(last, isEnded: !waits, at: end)
        }
        open = []
    }

    private mutating func settle(_ open: OpenPart, isEnded: Bool, at offset: Int) {
        parts[open.part].isComplete = isEnded && (!open.hasBoundary || open.isClosed)
        guard open.hasBoundary else { return }
        let header = parts[open.part].headerRange.lowerBound
        if parts[open.part].children.isEmpty {
            log.add(.noParts, at: header)
            becomeLeaf(open.part)
        } else if !open.isClosed {
            log.add(.missingCloseBoundary, at: offset)
        }
        if parts[open.part].isContainer, parts[open.part].transferEncoding.isEncoded {
            log.add(.encodedMultipart, at: header)
        }
    }

    /// A multipart in which no part was found is one text, and has a number like one.
    private mutating func becomeLeaf(_ index: Int) {
        parts[index].isContainer = false
        guard let parent = parts[index].parent else {
            parts[index].section = SectionPath([1])
            return
        }
        if parts[parent].contentType.isMessage {
            parts[index].section = parts[parent].section.appending(1)
        }
    }
}
