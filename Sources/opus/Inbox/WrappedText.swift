/// Text of strangers as lines that fit a pane: escaped, and broken at blanks if possible.
enum WrappedText {
    /// The most lines of a text.
    static let mostLines = 5_000

    static func lines(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        for paragraph in TerminalText.block(text).split(separator: "\n", omittingEmptySubsequences: false) {
            guard lines.count < mostLines else {
                lines.append("…")
                break
            }
            wrap(paragraph, max(1, width), into: &lines)
        }
        while lines.last?.isEmpty ?? false { lines.removeLast() }
        return lines
    }

    private static func wrap(_ paragraph: Substring, _ width: Int, into lines: inout [String]) {
        // Most lines are plain and fit.
        if paragraph.utf8.count <= width, paragraph.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) {
            return lines.append(String(paragraph))
        }
        var line = ""
        var used = 0
        /// Where the line can be broken, and the columns up to there.
        var blank: (end: String.Index, used: Int)?
        for character in paragraph {
            let shown = character == "\t" ? "    " : String(character)
            let columns = character == "\t" ? 4 : TerminalText.width(character)
            if used + columns > width {
                if lines.count >= mostLines { return }
                if character == " " {
                    lines.append(line)
                    (line, used, blank) = ("", 0, nil)
                    continue
                }
                if let at = blank {
                    lines.append(String(line[..<at.end]))
                    line = String(line[at.end...])
                    used -= at.used
                } else {
                    lines.append(line)
                    (line, used) = ("", 0)
                }
                blank = nil
            }
            line += shown
            used += columns
            if character == " " { blank = (line.endIndex, used) }
        }
        lines.append(line)
    }
}
