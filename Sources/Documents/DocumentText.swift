public import Foundation
import Pipeline

/// A document as JSON text that ends with a line feed and whose every character is harmless on a terminal: C1 controls,
/// DEL, bidirectional overrides and the like, which JSON allows as they are, become `\uXXXX`. Every reader sees the same
/// document.
public enum DocumentText {
    /// On many lines, for people and programs.
    public static func pretty(_ document: some Encodable) throws -> Data {
        try text(of: document, [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
    }

    /// On one line, where several documents follow each other.
    public static func line(_ document: some Encodable) throws -> Data {
        try text(of: document, [.sortedKeys, .withoutEscapingSlashes])
    }

    private static func text(
        of document: some Encodable, _ formatting: JSONEncoder.OutputFormatting
    ) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting
        var bytes = safe(try encoder.encode(document))
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    static func safe(_ json: Data) -> Data {
        if json.allSatisfy({ $0 < 0x7F }) { return json }
        var shown = String.UnicodeScalarView()
        for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
            // Line feeds and blanks between the values are the only controls outside of texts.
            guard scalar.value >= 0x7F, scalar.isHarmfulOnTerminal else {
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
