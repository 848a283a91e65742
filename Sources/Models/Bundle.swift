/// A named group of newsletters and notifications, shown as one line. The name is a label on the mail, so that every
/// machine knows the bundle.
public struct Bundle: Hashable, Sendable, Comparable {
    public let name: String

    private static let prefix = "bundle."

    /// nil: the name cannot be a label.
    public init?(name: String) {
        guard !name.isEmpty, name.utf8.count <= 64, Keyword.isValid(Self.prefix + name) else { return nil }
        self.name = name
    }

    /// nil: the label does not belong to a bundle.
    public init?(_ label: Keyword) {
        guard label.rawValue.lowercased().hasPrefix(Self.prefix) else { return nil }
        self.init(name: String(label.rawValue.dropFirst(Self.prefix.count)))
    }

    public var label: Keyword { Keyword(Self.prefix + name) }

    public static func == (a: Bundle, b: Bundle) -> Bool { a.name.lowercased() == b.name.lowercased() }
    public static func < (a: Bundle, b: Bundle) -> Bool { a.name.lowercased() < b.name.lowercased() }
    public func hash(into hasher: inout Hasher) { hasher.combine(name.lowercased()) }
}
