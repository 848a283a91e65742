/// Writes readable text: blanks collapse, lines break where blocks do, what has no width is dropped.
struct TextWriter {
    private var output: [UInt8] = []
    private let limit: Int

    /// Line ends to write before the next character: 2 make an empty line.
    private var breaks = 0
    private var hasBlank = false
    private var hasTab = false
    /// A joiner is text between two letters only; newsletters write hundreds in a row.
    private var joiner: UInt8?
    private var isAtLineStart = true
    private var preformatted = 0
    private var quotes = 0

    init(limit: Int) { self.limit = limit }

    var count: Int { output.count }
    var isFull: Bool { output.count >= limit }
    var text: String { output[...].trimmedEnd.text }

    func bytes(from start: Int) -> ArraySlice<UInt8> { output[min(start, output.count)...] }

    // MARK: Elements

    mutating func begin(_ layout: HTMLLayout) {
        switch layout {
        case .inline: break
        case .lineBreak: breaks = min(2, breaks + 1)
        case .block, .row: breakLine()
        case .paragraph: breakParagraph()
        case .item:
            breakLine()
            append("- ")
        case .cell: if !isAtLineStart, breaks == 0 { hasTab = true }
        case .rule:
            breakLine()
            append("---")
            breakLine()
        case .preformatted:
            breakLine()
            preformatted += 1
        case .quote:
            breakLine()
            quotes += 1
        }
    }

    mutating func end(_ layout: HTMLLayout) {
        switch layout {
        case .inline, .lineBreak, .cell, .rule: break
        case .block, .row, .item: breakLine()
        case .paragraph: breakParagraph()
        case .preformatted:
            preformatted = max(0, preformatted - 1)
            breakLine()
        case .quote:
            quotes = max(0, quotes - 1)
            breakLine()
        }
    }

    private mutating func breakLine() { breaks = max(breaks, 1) }
    private mutating func breakParagraph() { breaks = 2 }

    // MARK: Text

    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append($0) }
    }

    mutating func append(cString: UnsafePointer<UInt8>) {
        var count = 0
        while cString[count] != 0 { count += 1 }
        append(UnsafeBufferPointer(start: cString, count: count))
    }

    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        var index = 0
        while index < bytes.count, !isFull {
            let byte = bytes[index]
            if byte < 0x80 {
                takeASCII(byte)
                index += 1
                continue
            }
            let length = min(Self.length(byte), bytes.count - index)
            switch Self.kind(bytes, at: index, length: length) {
            case .blank: hasBlank = true
            case .nothing: joiner = nil
            case .joiner: joiner = joiner == nil && !hasBlank && breaks == 0 ? bytes[index + 2] : nil
            case .visible:
                flush()
                for offset in 0..<length { output.append(bytes[index + offset]) }
            }
            index += length
        }
    }

    private mutating func takeASCII(_ byte: UInt8) {
        guard byte == ASCII.space || (byte >= 0x09 && byte <= 0x0D) else {
            guard !byte.isControl else { return }
            flush()
            output.append(byte)
            return
        }
        joiner = nil
        guard preformatted > 0 else {
            hasBlank = true
            return
        }
        if byte == ASCII.lf {
            flush()
            output.append(ASCII.lf)
            isAtLineStart = true
        } else if byte == ASCII.space || byte == ASCII.tab {
            flush()
            output.append(byte)
        }
    }

    /// Writes what was held back before a visible character.
    private mutating func flush() {
        if output.isEmpty {
            isAtLineStart = true
        } else if breaks > 0 {
            while let last = output.last, last == ASCII.space || last == ASCII.tab { output.removeLast() }
            for _ in 0..<breaks { output.append(ASCII.lf) }
            isAtLineStart = true
        } else if hasTab {
            output.append(ASCII.tab)
        } else if hasBlank, !isAtLineStart {
            output.append(ASCII.space)
        } else if let joiner, !hasBlank {
            output += [0xE2, 0x80, joiner]
        }
        if isAtLineStart { for _ in 0..<min(quotes, 8) { output += [ASCII.greater, ASCII.space] } }
        (breaks, hasBlank, hasTab, joiner, isAtLineStart) = (0, false, false, nil, false)
    }

    // MARK: UTF-8

    private enum Kind {
        case visible
        case blank
        case joiner
        case nothing
    }

    private static func length(_ lead: UInt8) -> Int {
        lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1
    }

    private static func kind(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int, length: Int) -> Kind {
        guard length == 2 || length == 3 else { return .visible }
        let second = bytes[index + 1]
        let third = length == 3 ? bytes[index + 2] : 0
        switch (bytes[index], second, third) {
        case (0xC2, 0xA0, 0): return .blank
        case (0xC2, 0x80...0x9F, 0): return .nothing
        case (0xC2, 0xAD, 0), (0xCD, 0x8F, 0), (0xE1, 0xA0, 0x8E), (0xE2, 0x80, 0x8B),
            (0xE2, 0x81, 0xA0...0xA4),
            (0xEF, 0xBB, 0xBF):
            return .nothing
        case (0xE2, 0x80, 0x80...0x8A), (0xE2, 0x80, 0xAF), (0xE3, 0x80, 0x80): return .blank
        case (0xE2, 0x80, 0x8C), (0xE2, 0x80, 0x8D): return .joiner
        case _: return .visible
        }
    }
}

extension ArraySlice<UInt8> {
    fileprivate var trimmedEnd: ArraySlice<UInt8> {
        var end = endIndex
        while end > startIndex, self[end - 1].isBlank { end -= 1 }
        return self[..<end]
    }
}
