/// Marks on a message: the system flags of RFC 3501 §2.3.2, and the user's keywords.

/// A system flag; `.seen` is `\Seen`.
public enum Flag: String, Hashable, Codable, CaseIterable, Comparable, Sendable {
    case seen
    case answered
    case flagged
    case draft
    case deleted

    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// A mark that users define: an IMAP keyword, which users call a label. Comparison ignores case.
public struct Keyword: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Whether the text is an IMAP atom, so that it can be sent as a keyword. RFC 3501 §9 (`atom`).
    public static func isValid(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 128
            && text.utf8.allSatisfy { byte in
                byte > 0x20 && byte < 0x7F && !#"(){%*"\]"#.utf8.contains(byte)
            }
    }

    public var description: String { rawValue }
    public static func == (a: Self, b: Self) -> Bool { a.rawValue.lowercased() == b.rawValue.lowercased() }
    public static func < (a: Self, b: Self) -> Bool { a.rawValue.lowercased() < b.rawValue.lowercased() }
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue.lowercased()) }
}

extension Keyword: Codable {
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
