public import Models

extension Diagnostic {
    /// The finding as a compiler shows it: place, sentence, source line, caret.
    ///
    /// ```
    /// rules/20-work.yaml:5:13: error[R012]: unknown condition 'form'
    ///    |
    ///  5 |     when: { form: '*@acme.example' }
    ///    |             ^^^^ did you mean 'from'?
    /// ```
    /// The caret is placed by display width, so that it is right under wide letters too. Control characters of
    /// the source never reach the terminal; a line that is too long is cut round the caret.
    public func rendered(width: Int = 110) -> String {
        let place = ([file] + (line > 0 ? [line] + (column > 0 ? [column] : []) : []).map(String.init))
            .joined(separator: ":")
        let head =
            "\(SourceExcerpt.safe(place)): \(severity.rawValue)[\(code)]: \(SourceExcerpt.safe(message))"
        guard let sourceLine, line > 0, column > 0 else {
            return suggestion.map { "\(head); \(SourceExcerpt.safe($0))" } ?? head
        }
        let number = String(line)
        let gutter = String(repeating: " ", count: number.count + 2) + "|"
        let room = max(20, width - gutter.count - 1)
        let excerpt = SourceExcerpt(line: sourceLine, column: column, length: length, room: room)
        let mark = suggestion.map { excerpt.caret + " " + SourceExcerpt.safe($0) } ?? excerpt.caret
        return [head, gutter, " \(number) | \(excerpt.text)", "\(gutter) \(mark)"].joined(separator: "\n")
    }
}

/// The part of a source line that fits, and the caret below it.
struct SourceExcerpt {
    let text: String
    let caret: String

    init(line: String, column: Int, length: Int, room: Int) {
        let letters = Array(line.prefix(20_000))
        let start = min(max(column - 1, 0), letters.count)
        let end = min(start + max(length, 1), letters.count)
        var first = 0
        if DisplayWidth.of(Self.safe(String(letters[..<end]))) > room {
            // Keep some text before the caret, as much as leaves half of the room after it.
            first = start
            var used = 0
            while first > 0, used < room / 2 {
                first -= 1
                used += DisplayWidth.of(Self.safe(String(letters[first])))
            }
        }
        let lead = first > 0 ? "…" : ""
        let before = lead + Self.safe(String(letters[first..<start]))
        let marked = Self.safe(String(letters[start..<end]))
        text = Self.cut(before + marked + Self.safe(String(letters[end...])), room: room)
        let carets = min(max(1, DisplayWidth.of(marked)), max(1, room - DisplayWidth.of(before)))
        caret =
            String(repeating: " ", count: DisplayWidth.of(before)) + String(repeating: "^", count: carets)
    }

    /// Tabs become four blanks, other control and direction characters `�`.
    static func safe(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x09:
                result.append(contentsOf: "    ".unicodeScalars)
            case 0...0x1F, 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069:
                result.append("\u{FFFD}")
            case _:
                result.append(scalar)
            }
        }
        return String(result)
    }

    private static func cut(_ text: String, room: Int) -> String {
        var used = 0
        var result = ""
        for character in text {
            used += DisplayWidth.of(character)
            guard used <= room else { return result + "…" }
            result.append(character)
        }
        return result
    }
}
