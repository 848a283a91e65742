import CLinux
import Pipeline

/// Makes text of strangers harmless for a terminal, a log line or a table cell.
///
/// It makes control characters, escape sequences, C1 controls, line separators and bidirectional overrides visible.
/// Every string from outside opus must go through here.
enum TerminalText {
    /// For one line: makes controls visible, and turns line ends and tabs into blanks.
    static func line(_ text: some StringProtocol) -> String {
        HarmlessText.line(text)
    }

    /// For several lines: keeps line feeds and tabs.
    static func block(_ text: some StringProtocol) -> String {
        var shown = ""
        shown.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            if scalar == "\r" { continue }
            if scalar == "\n" || scalar == "\t" {
                shown.unicodeScalars.append(scalar)
            } else {
                HarmlessText.append(scalar, to: &shown)
            }
        }
        return shown
    }

    /// Columns of a Character: the widest of its scalars; 2 for emoji sequences.
    static func width(_ character: Character) -> Int {
        var widest = 0
        for scalar in character.unicodeScalars {
            if scalar.value == 0xFE0F || scalar.value == 0x200D { return 2 }
            if (0x1F1E6...0x1F1FF).contains(scalar.value) {
                // Two regional indicators make one flag.
                widest = min(2, widest + 1)
                continue
            }
            widest = max(widest, scalar.value < 0x7F ? 1 : Int(max(0, opus_scalar_width(scalar.value))))
        }
        return widest
    }

    static func width(_ text: some StringProtocol) -> Int { text.reduce(0) { $0 + width($1) } }

    /// At most that many columns, the last one `…` where something was cut.
    static func truncated(_ text: String, to columns: Int) -> String {
        guard columns > 0 else { return "" }
        guard width(text) > columns else { return text }
        var kept = ""
        var used = 0
        for character in text {
            let next = width(character)
            guard used + next <= columns - 1 else { break }
            kept.append(character)
            used += next
        }
        return kept + "…"
    }

    static func padded(_ text: String, to columns: Int) -> String {
        text + String(repeating: " ", count: max(0, columns - width(text)))
    }
}
