/// The names of saved searches.
public enum SearchName {
    /// The prefix in a query.
    static let prefix = "query"

    /// The name among the definitions of the rule tables. It has a colon, so it cannot be the name of a `define:`.
    static func definition(_ name: String) -> String { "\(prefix):\(name)" }

    /// Whether the name is valid for a saved search.
    public static func isValid(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) || $0 == 0x2D || $0 == 0x5F
            }
    }
}
