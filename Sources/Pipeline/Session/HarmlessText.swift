/// Makes untrusted text safe to show: control characters, escape sequences, line separators and bidirectional
/// overrides become visible.
public enum HarmlessText {
    /// One line: line breaks and tabs become spaces.
    public static func line(_ text: some StringProtocol) -> String {
        // Most lines are plain ASCII, and a plan has many lines.
        var text = String(text)
        if text.withUTF8({ $0.allSatisfy { $0 >= 0x20 && $0 < 0x7F } }) { return text }
        var shown = ""
        shown.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            if scalar == "\n" || scalar == "\t" || scalar == "\r" {
                shown.append(" ")
            } else {
                append(scalar, to: &shown)
            }
        }
        return shown
    }

    public static func append(_ scalar: Unicode.Scalar, to shown: inout String) {
        if scalar == "\u{1B}" {
            shown.append("␛")
        } else if scalar.isHarmfulOnTerminal {
            shown.append("\\u{" + String(scalar.value, radix: 16) + "}")
        } else {
            shown.unicodeScalars.append(scalar)
        }
    }
}

extension Unicode.Scalar {
    /// A control character, a line separator, or a character that changes the direction or order of text.
    public var isHarmfulOnTerminal: Bool {
        switch value {
        case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF,
            0xE0000...0xE007F:
            true
        case _:
            false
        }
    }
}
