import Foundation

/// JSON whose every character is harmless on a terminal: C1 controls, DEL, bidirectional overrides and the like, which
/// may be in a JSON text as they are, become `\uXXXX`. It is the same document for every reader.
enum JSONText {
    static func safe(_ json: Data) -> Data {
        if json.allSatisfy({ $0 < 0x7F }) { return json }
        var shown = String.UnicodeScalarView()
        for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
            // Line feeds and blanks between the values are the only controls outside of texts.
            guard scalar.value >= 0x7F, TerminalText.isHarmful(scalar) else {
                shown.append(scalar)
                continue
            }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                shown.append(
                    contentsOf: ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits)
                        .unicodeScalars)
            }
        }
        return Data(String(shown).utf8)
    }
}
