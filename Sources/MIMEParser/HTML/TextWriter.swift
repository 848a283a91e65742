/// Writes readable text: collapses blanks, breaks lines at blocks, and drops characters without width.
///
/// The space between two visible characters is written with the second one, so that one line end or one empty line
/// remains of all the blocks that ended there.
struct TextWriter {
    private(set) var output: [UInt8] = []
    private let limit: Int

    /// Line ends to write before the next character: 2 make an empty line.
    private var breaks = 0
    private var hasBlank = false
    private var hasTab = false
    private var joiner: UInt8 = 0
    private var isAtLineStart = true
    private var preformatted = 0
    /// Set by a style.
    var whiteSpace = WhiteSpace.collapsed
    private var lines = 0
    private var prefix = LinePrefix()
    private var rows = TableRows()

    init(limit: Int) { self.limit = limit }

    var isFull: Bool { output.count >= limit }

    // MARK: Elements

    mutating func begin(_ layout: HTMLLayout) {
        switch layout {
        case .inline: break
        case .lineBreak: if !hasTab { breaks = min(2, breaks + 1) }
        case .block: breakLine()
        case .paragraph: breakLine(2)
        case .item: beginItem(marker: "- ")
        case .row:
            breakLine()
            rows.beginRow()
        case .cell: beginCell()
        case .rule:
            startLine()
            append("---")
            breakLine()
        case .preformatted:
            startLine()
            preformatted += 1
        case .quote:
            startLine()
            prefix.push("> ")
        case .definition:
            startLine()
            prefix.push("  ")
        }
    }

    mutating func end(_ layout: HTMLLayout) {
        switch layout {
        case .inline, .lineBreak, .cell, .rule: break
        case .block: breakLine()
        case .paragraph: breakLine(2)
        case .row:
            hasTab = false
            rows.endRow()
            breakLine()
        case .preformatted:
            preformatted = max(0, preformatted - 1)
            breaks = min(breaks, 2)
            breakLine()
        case .quote, .definition, .item:
            prefix.pop()
            breakLine()
        }
    }

    /// A list item; its marker comes before its first character, and is left out when there is none.
    mutating func beginItem(marker: StaticString) {
        startLine()
        prefix.push(marker, isMarker: true)
    }

    mutating func beginItem(_ marker: String) {
        startLine()
        prefix.push(marker: marker)
    }

    /// Cells of a row are side by side while each is one line; after a longer one the next begins a line.
    private mutating func beginCell() {
        switch rows.beginCell(at: lines) {
        case .beside:
            breaks = 0
            hasTab = true
        case .below: startLine()
        case .first: break
        case .loose: if !isAtLineStart, breaks == 0 { hasTab = true }
        }
    }

    /// Blocks at the beginning of a cell do not part it from the cell before.
    private mutating func breakLine(_ count: Int = 1) {
        if !hasTab { breaks = max(breaks, count) }
    }

    private mutating func startLine() {
        hasTab = false
        breakLine()
    }

    // MARK: Text

    mutating func append(_ text: StaticString) { text.withUTF8Buffer { append($0) } }

    /// Right after what is written, before any break that is held back.
    mutating func appendMark(_ mark: String) { if !output.isEmpty { output += mark.utf8 } }

    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        var index = 0
        while index < bytes.count, !isFull {
            let byte = bytes[index]
            if Self.isPlain(byte) {
                let end = Self.plainEnd(
                    bytes, from: index, to: min(bytes.count, index + limit - output.count))
                flush()
                output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[index..<end]))
                index = end
            } else if byte == ASCII.space || (byte >= 0x09 && byte <= 0x0D) {
                take(blank: byte, isLast: index + 1 == bytes.count || bytes[index + 1] != ASCII.lf)
                index += 1
            } else {
                index += writeScalar(bytes, at: index)
            }
        }
    }

    /// Bytes of characters that need no second look, whole sentences of them.
    private static func plainEnd(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int, to limit: Int) -> Int {
        var index = start + 1
        while index < limit {
            if isPlain(bytes[index]) {
                index += 1
            } else if bytes[index] == ASCII.space, index + 1 < limit, isPlain(bytes[index + 1]) {
                index += 2
            } else {
                break
            }
        }
        return index
    }

    /// All but blanks, controls, and the leads of characters that may be invisible (see ``ScalarKind``).
    @inline(__always)
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21...0x7E, 0x80...0xC1, 0xC3...0xCC, 0xCE...0xE0, 0xE4...0xEE, 0xF0...0xFF: true
        case _: false
        }
    }

    private mutating func writeScalar(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Int {
        let kind = ScalarKind(bytes, at: index)
        switch kind.class {
        case .blank: hasBlank = true
        case .nothing: if bytes[index] >= 0x80 { joiner = 0 }
        case .joiner: joiner = joiner == 0 && !hasBlank && breaks == 0 ? bytes[index + 2] : 0
        case .visible:
            flush()
            output += bytes[index..<(index + kind.count)]
        }
        return kind.count
    }

    private mutating func take(blank byte: UInt8, isLast: Bool) {
        joiner = 0
        guard preformatted > 0 || whiteSpace != .collapsed else {
            hasBlank = true
            return
        }
        switch byte {
        case ASCII.lf: endWrittenLine()
        case ASCII.cr: if isLast { endWrittenLine() }
        case _ where preformatted == 0 && whiteSpace == .lines: hasBlank = true
        case _:
            flush()
            output.append(byte == ASCII.tab ? ASCII.tab : ASCII.space)
        }
    }

    /// A line end of the text itself. One at the beginning of a cell does not part it from the cell before.
    private mutating func endWrittenLine() { if !hasTab { breaks += 1 } }

    // MARK: What was held back

    @inline(__always)
    private mutating func flush() {
        if breaks > 0 || hasTab || hasBlank || joiner != 0 || isAtLineStart || rows.isWaiting {
            writePending()
        }
    }

    private mutating func writePending() {
        if output.isEmpty {
            isAtLineStart = true
        } else if breaks > 0 {
            endLines()
        } else if hasTab {
            output.append(ASCII.tab)
        } else if hasBlank, !isAtLineStart {
            output.append(ASCII.space)
        } else if joiner != 0, !hasBlank {
            output += [0xE2, 0x80, joiner]
        }
        if isAtLineStart { prefix.begin(&output) }
        if rows.isWaiting { rows.write(at: lines) }
        (breaks, hasBlank, hasTab, joiner, isAtLineStart) = (0, false, false, 0, false)
    }

    /// Empty lines within a quotation are part of it.
    private mutating func endLines() {
        while let last = output.last, last == ASCII.space || last == ASCII.tab { output.removeLast() }
        output.append(ASCII.lf)
        for _ in 1..<max(breaks, 1) where !isFull {
            prefix.fillEmptyLine(&output)
            output.append(ASCII.lf)
        }
        lines += 1
        isAtLineStart = true
    }
}
