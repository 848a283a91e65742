/// What a style does with line ends and blanks: the property `white-space` of CSS.
enum WhiteSpace {
    case collapsed
    /// Line ends stay, as with `pre-line`.
    case lines
    /// Line ends and blanks stay, as with `pre-wrap`.
    case all
}

/// Whether a style shows its text, and how. Preheaders are hidden in many ways.
///
/// Most ways hide all content. `font-size:0` and `visibility:hidden` do not: some layouts set `font-size:0` on a column
/// and a size on the text in it.
struct HTMLVisibility {
    enum Change {
        case unchanged
        case hides
        case shows
    }

    /// The element is hidden, whatever its content sets.
    private(set) var isHidden = false
    private(set) var font = Change.unchanged
    private(set) var visibility = Change.unchanged
    /// nil: unchanged.
    private(set) var whiteSpace: WhiteSpace?

    init(of element: some HTMLAttributes) {
        guard element.attributeCount > 0 else { return }
        isHidden = element.withValue(of: "hidden") { _ in true } ?? false
        let style = element.withValue(of: "style") { HTMLVisibility(style: $0) }
        guard let style else { return }
        isHidden = isHidden || style.isHidden
        (font, visibility, whiteSpace) = (style.font, style.visibility, style.whiteSpace)
    }

    init(style: UnsafeBufferPointer<UInt8>) {
        var start = 0
        while start < style.count {
            let end = style.firstOffset(of: ASCII.semicolon, from: start, to: style.count) ?? style.count
            if let colon = style.firstOffset(of: ASCII.colon, from: start, to: end) {
                declare(Self.word(style, start, colon), Self.word(style, colon + 1, end))
            }
            start = end + 1
        }
    }

    private typealias Word = UnsafeBufferPointer<UInt8>

    private mutating func declare(_ property: Word, _ value: Word) {
        switch property.count {
        case 4: if Self.isWord(property, "font") { font = Self.font(value) }
        case 7:
            if Self.isWord(property, "display") { isHidden = Self.begins(value, "none") }
            if Self.isWord(property, "opacity"), Self.isZero(value) { isHidden = true }
        case 9: if Self.isWord(property, "font-size") { font = Self.font(value) }
        case 10:
            if Self.isWord(property, "max-height"), Self.isZero(value) { isHidden = true }
            if Self.isWord(property, "visibility") {
                let hides = Self.begins(value, "hidden") || Self.begins(value, "collapse")
                visibility = hides ? .hides : Self.begins(value, "visible") ? .shows : .unchanged
            }
        case 11: if Self.isWord(property, "white-space") { whiteSpace = Self.whiteSpace(value) }
        case _: break
        }
    }

    // MARK: Values

    private static func whiteSpace(_ value: Word) -> WhiteSpace? {
        if begins(value, "pre-line") { return .lines }
        if begins(value, "pre") || begins(value, "break-spaces") { return .all }
        return begins(value, "normal") || begins(value, "nowrap") ? .collapsed : nil
    }

    /// A relative size changes nothing: twice zero is zero.
    private static func font(_ value: Word) -> Change {
        if isZero(value) { return .hides }
        let last = value.last ?? 0
        let isRelative =
            value.isEmpty || last == ASCII.percent || begins(value, "inherit") || begins(value, "smaller")
            || begins(value, "larger") || endsWithEm(value)
        return isRelative ? .unchanged : .shows
    }

    private static func endsWithEm(_ value: Word) -> Bool {
        guard value.count > 2 else { return false }
        let (unit, last) = (value[value.count - 2] | 0x20, value[value.count - 1] | 0x20)
        let isRoot = value[value.count - 3] | 0x20 == UInt8(ascii: "r")
        return unit == UInt8(ascii: "e")
            && (last == UInt8(ascii: "m") && !isRoot || last == UInt8(ascii: "x"))
    }

    /// `0`, `0px`, `.00em`, `0 !important`: a number without any digit but 0.
    private static func isZero(_ value: Word) -> Bool {
        guard let first = value.first, first == 0x30 || first == ASCII.dot else { return false }
        for byte in value {
            guard byte.isDigit || byte == ASCII.dot else { return true }
            if byte.isDigit, byte != 0x30 { return false }
        }
        return true
    }

    private static func word(_ style: Word, _ start: Int, _ end: Int) -> Word {
        var (low, high) = (start, end)
        while low < high, style[low].isBlank { low += 1 }
        while high > low, style[high - 1].isBlank { high -= 1 }
        return Word(rebasing: style[low..<high])
    }

    private static func isWord(_ word: Word, _ expected: StaticString) -> Bool {
        word.count == expected.utf8CodeUnitCount && begins(word, expected)
    }

    private static func begins(_ word: Word, _ expected: StaticString) -> Bool {
        guard word.count >= expected.utf8CodeUnitCount else { return false }
        return expected.withUTF8Buffer { expected in
            for index in 0..<expected.count where word[index].lowercasedASCII != expected[index] {
                return false
            }
            return true
        }
    }
}
