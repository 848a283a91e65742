import YAMLSource

/// Reads `searches:`, the saved searches: `searches: { bills: 'subject:invoice newer:90d' }`.
///
/// The query itself is checked where it is used, because it may use definitions of the rules.
enum SearchesReader {
    static let most = 1_000
    static let longest = 10_000

    static func read(_ node: YAMLNode, _ reader: inout ConfigReader) -> [String: String] {
        guard let pairs = node.mapping else {
            reader.report(
                "C006", at: node,
                "searches is \(node.kindName), not a mapping; write bills: 'subject:invoice newer:90d'")
            return [:]
        }
        guard pairs.count <= most else {
            reader.report(
                "C007", at: node, "searches has \(pairs.count) entries; at most \(most) are allowed")
            return [:]
        }
        var searches: [String: String] = [:]
        for (key, value) in pairs {
            guard let name = key.scalar, isName(name) else {
                reader.report(
                    "C007", at: key, "a key of searches cannot be the name of a search",
                    suggestion: "letters, digits, - and _")
                continue
            }
            guard let query = value.scalar, !query.isEmpty, query.count <= longest,
                !query.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
            else {
                reader.report(
                    "C007", at: value, "'\(name)' is not a query on one line",
                    suggestion: "\(name): 'subject:invoice newer:90d'")
                continue
            }
            searches[name] = query
        }
        return searches
    }

    /// ASCII letters and digits, `-` and `_`, as in ``Query``.
    static func isName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) || $0 == 0x2D || $0 == 0x5F
            }
    }
}
