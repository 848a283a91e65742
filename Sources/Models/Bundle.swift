/// The name under which newsletters and notifications are one line. The mail has it as a label, so that it is known on every
/// machine.
public struct Bundle: Hashable, Sendable, Comparable {
    public let name: String

    private static let prefix = "bundle."

    /// nil: it cannot be a label.
    public init?(name: String) {
        guard !name.isEmpty, name.utf8.count <= 64, Keyword.isValid(Self.prefix + name) else { return nil }
        self.name = name
    }

    /// nil: the label is not a bundle's.
    public init?(_ label: Keyword) {
        guard label.rawValue.lowercased().hasPrefix(Self.prefix) else { return nil }
        self.init(name: String(label.rawValue.dropFirst(Self.prefix.count)))
    }

    public var label: Keyword { Keyword(Self.prefix + name) }

    public static func == (a: Bundle, b: Bundle) -> Bool { a.name.lowercased() == b.name.lowercased() }
    public static func < (a: Bundle, b: Bundle) -> Bool { a.name.lowercased() < b.name.lowercased() }
    public func hash(into hasher: inout Hasher) { hasher.combine(name.lowercased()) }
}
