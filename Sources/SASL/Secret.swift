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

    /// A stranger's text without this secret in it, as text and in base 64: some servers repeat what they were sent.
    ///
    /// A secret of less than four bytes would be part of other words by chance, and is left.
    public func hidden(in words: String) -> String {
        guard text.utf8.count >= 4 else { return words }
        let encoded = Base64.encode(Array(text.utf8)).prefix { $0 != "=" }
        return [text, String(encoded)].reduce(words) { words, form in
            words.split(separator: form, omittingEmptySubsequences: false).joined(separator: "•••")
        }
    }
}
