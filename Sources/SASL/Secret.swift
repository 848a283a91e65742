/// A password or token that cannot be printed by accident: interpolation, `print`, `dump` and a debugger show `•••`.
///
/// It is deliberately not `Codable` and not `Hashable`. Only ``reveal()`` returns the text; review its callers.
public struct Secret: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let text: String

    public init(_ text: String) { self.text = text }

    /// The password or token, only for the bytes of an authentication exchange.
    public func reveal() -> String { text }

    public var isEmpty: Bool { text.isEmpty }
    public var description: String { "•••" }
    public var debugDescription: String { "•••" }
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }

    /// A stranger's text without this secret in it, as text and in base 64: some servers repeat what they were sent. A word in
    /// base 64 that holds the secret, as in a response of PLAIN, is hidden as a whole.
    ///
    /// A secret of less than four bytes would be part of other words by chance, and is left.
    public func hidden(in words: String) -> String {
        guard text.utf8.count >= 4 else { return words }
        let words = words.split(separator: text, omittingEmptySubsequences: false).joined(
            separator: Self.mark)
        let forms = encodedForms
        guard forms.contains(where: words.contains) else { return words }
        var result = ""
        var rest = words[...]
        while let first = rest.first {
            let isEncoded = Self.isEncoded(first)
            let run = rest.prefix { Self.isEncoded($0) == isEncoded }
            result += isEncoded && forms.contains(where: run.contains) ? Self.mark : String(run)
            rest = rest[run.endIndex...]
        }
        return result
    }

    private static let mark = "•••"

    /// The letters that the secret alone decides, in base 64 of a text in which it begins at any byte. RFC 4648 §4.
    private var encodedForms: [String] {
        (0..<3).map { offset in
            let bytes = Array(repeating: UInt8(0), count: offset) + Array(text.utf8)
            // Six bits a letter: the first and the last may hold bits of other bytes.
            return String(Base64.encode(bytes).prefix(bytes.count * 8 / 6).dropFirst((offset * 8 + 5) / 6))
        }
    }

    private static func isEncoded(_ letter: Character) -> Bool {
        letter.isASCII && (letter.isLetter || letter.isNumber || "+/=".contains(letter))
    }
}
