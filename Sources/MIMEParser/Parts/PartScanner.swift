/// Finds the parts of a message in one pass over its lines.
///
/// It keeps the parts that are open, from the message down to the part it stands in, each multipart with its
/// boundary. A line that begins with `--` is held against those, at most ``MIMELimits/depth`` of them: the longest
/// boundary wins, since one may be a prefix of another. Nothing recurses, and nothing is decoded but the
/// fields that say where parts end. RFC 2046 §5.1.
struct PartScanner {
    private(set) var parts: [Part] = []
    private(set) var fields: [RawField] = []
    private(set) var log = DefectLog()

    private let lines: LineReader
    private let limits: MIMELimits
    private let end: Int
    private var open: [OpenPart] = []

    /// A part whose end was not seen yet.
    private struct OpenPart {
        var part: Int
        /// Empty in a leaf, in a message, and in a multipart whose closing boundary came.
        var boundary: [UInt8] = []
        var isClosed = false
    }

    /// A part that begins at `start`.
    private struct Beginning {
        var start: Int
        var parent: Int?
        var fallback: ContentType
    }

    private struct Delimiter {
        /// The place of its multipart in `open`.
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
                open[delimiter.level].boundary = []
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

    /// Reads the header of a part and opens it; returns where its body begins.
    private mutating func begin(_ beginning: Beginning) -> Int {
        let boundaries = open
        let bytes = lines.bytes
        var reader = HeaderReader(lines: lines, limits: limits) { start in
            Self.match(bytes, lineStart: start, boundaries) != nil
        }
        reader.read(from: beginning.start, to: end, defects: &log)
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
        open.append(OpenPart(part: part.index, boundary: boundary))
        return reader.range.upperBound
    }

    /// Takes the fields that say what a part is; of a repeated field the first counts.
    private mutating func read(_ fields: [RawField], into part: inout Part, fallback: ContentType) {
        part.contentType = fallback
        var hasType = false
        var hasEncoding = false
        for field in fields where lines.bytes[field.name].count >= 10 {
            let name = lines.bytes[field.name]
            if name.isWord("content-type"), !hasType {
                hasType = true
                part.contentType = ContentType(lines.bytes[field.body], default: fallback, limits: limits)
                if part.contentType.parameters.isCut {
                    log.add(.tooManyParameters, at: field.name.lowerBound)
                }
            } else if name.isWord("content-transfer-encoding"), !hasEncoding {
                hasEncoding = true
                part.transferEncoding = TransferEncoding(lines.bytes[field.body])
                if part.transferEncoding == .unknown {
                    log.add(.unknownTransferEncoding, at: field.name.lowerBound)
                }
            } else if name.isWord("content-disposition"), part.dispositionField == nil {
                part.dispositionField = field.body
            } else if name.isWord("content-id"), part.contentIDField == nil {
                part.contentIDField = field.body
            }
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
        var boundary = part.contentType.parameters.boundary[...]
        while let last = boundary.last, last.isBlank { boundary = boundary.dropLast() }
        guard !boundary.isEmpty else {
            log.add(.missingBoundary, at: part.headerRange.lowerBound)
            return []
        }
        part.isContainer = true
        return Array(boundary)
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
        guard open.contains(where: { !$0.boundary.isEmpty }) else { return nil }
        var position = start
        while let dashed = lines.dashedLine(from: position) {
            if let (level, length) = Self.match(lines.bytes, lineStart: dashed, open) {
                return delimiter(level: level, dashed: dashed, length: length)
            }
            position = lines.line(at: dashed, limit: end).next
        }
        return nil
    }

    private mutating func delimiter(level: Int, dashed: Int, length: Int) -> Delimiter {
        let line = lines.line(at: dashed, limit: end)
        let rest = lines.bytes[(dashed + 2 + length)..<max(line.end, dashed + 2 + length)]
        let isClosing = rest.hasPrefix("--")
        if !rest.dropFirst(isClosing ? 2 : 0).isBlank { log.add(.textAfterBoundary, at: dashed) }
        return Delimiter(level: level, line: line, isClosing: isClosing)
    }

    /// The longest open boundary with which the line goes on after its `--`. Of equal ones the innermost.
    private static func match(
        _ bytes: [UInt8], lineStart: Int, _ open: [OpenPart]
    ) -> (level: Int, length: Int)? {
        var best: (level: Int, length: Int)?
        for level in open.indices.reversed() {
            let boundary = open[level].boundary
            guard !boundary.isEmpty, boundary.count > best?.length ?? 0,
                lineStart + 2 + boundary.count <= bytes.count
            else { continue }
            var offset = 0
            while offset < boundary.count, bytes[lineStart + 2 + offset] == boundary[offset] { offset += 1 }
            if offset == boundary.count { best = (level, offset) }
        }
        return best
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
    }

    private mutating func finish() {
        // At the end of the bytes a part is whole when no multipart round it still waits for its boundary.
        var waits = false
        for last in open {
            waits = waits || !last.boundary.isEmpty
            settle(last, isEnded: !waits, at: end)
        }
        open = []
    }

    private mutating func settle(_ open: OpenPart, isEnded: Bool, at offset: Int) {
        parts[open.part].isComplete = isEnded && (open.boundary.isEmpty || open.isClosed)
        guard parts[open.part].isContainer, parts[open.part].contentType.isMultipart else { return }
        if parts[open.part].children.isEmpty {
            log.add(.noParts, at: parts[open.part].headerRange.lowerBound)
        } else if !open.isClosed {
            log.add(.missingCloseBoundary, at: offset)
        }
    }
}
