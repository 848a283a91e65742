/// Makes text from mail or from a person suitable for a property: without control characters, and of limited length.
/// RFC 5545 §3.3.11.
///
/// A bare CR or NUL would end the line for some readers. Tabs and line breaks stay only in values that may have several
/// lines.
enum CleanText {
    static let lineBytes = 10_000
    static let notesBytes = 100_000

    /// One line: runs of blanks and control characters become one blank.
    static func line(_ text: String, maximumBytes: Int = lineBytes) -> String {
        if isClean(text, maximumBytes) { return text }
        var clean = String.UnicodeScalarView()
        var bytes = 0
        var wantsBlank = false
        for scalar in text.unicodeScalars {
            if isControl(scalar) || scalar == " " {
                wantsBlank = !clean.isEmpty
                continue
            }
            bytes += UTF8.width(scalar) + (wantsBlank ? 1 : 0)
            guard bytes <= maximumBytes else { break }
            if wantsBlank { clean.append(" ") }
            wantsBlank = false
            clean.append(scalar)
        }
        return String(clean)
    }

    /// One line of ASCII with single blanks inside, as most are.
    private static func isClean(_ text: String, _ maximumBytes: Int) -> Bool {
        var before = UInt8(ascii: " ")
        for byte in text.utf8 {
            guard (0x20..<0x7F).contains(byte), byte != 0x20 || before != 0x20 else { return false }
            before = byte
        }
        return before != 0x20 && text.utf8.count <= maximumBytes || text.isEmpty
    }

    /// Several lines: CRLF and CR become LF, other controls but the tab vanish, blank lines at the end too.
    static func lines(_ text: String, maximumBytes: Int = notesBytes) -> String {
        var clean = String.UnicodeScalarView()
        var bytes = 0
        var previous: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            defer { previous = scalar }
            if scalar == "\n", previous == "\r" { continue }
            let kept: Unicode.Scalar = scalar == "\r" || isLineSeparator(scalar) ? "\n" : scalar
            guard !isControl(kept) || kept == "\n" || kept == "\t" else { continue }
            bytes += UTF8.width(kept)
            guard bytes <= maximumBytes else { break }
            clean.append(kept)
        }
        while let last = clean.last, last == "\n" || last == " " || last == "\t" { clean.removeLast() }
        return String(clean)
    }

    private static func isLineSeparator(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value == 0x2028 || scalar.value == 0x2029
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || isLineSeparator(scalar)
    }
}
