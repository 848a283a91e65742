public import Foundation
import Pipeline

/// A document as JSON text that ends with a line feed and is safe to print on a terminal: characters that
/// JSON allows unescaped, such as C1 controls, DEL and bidirectional overrides, become `\uXXXX`. This does
/// not change the parsed document.
public enum DocumentText {
    /// On several lines, for people and programs.
    public static func pretty(_ document: some Encodable) throws -> Data {
        try text(of: document, [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
    }

    /// On one line, for sequences of documents.
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
            // Outside of strings, line feeds and spaces are the only control characters.
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
