import Models

/// Queries that the user saved under a name, and uses in other queries: `query:bills older:7d`.
struct SavedSearches {
    static let prefix = "query"

    private static let deepest = 16

    private var tables: RuleTables
    private let names: KnownNames
    /// What is being read, outermost first.
    private var open: [String] = []

    init(tables: RuleTables, names: KnownNames) {
        self.tables = tables
        self.names = names
    }

    /// As a definition of the tables is called; no `define:` of a rule file has a colon.
    static func name(_ word: String) -> String { "\(prefix):\(word)" }

    /// The query with every saved search that it uses, also through others.
    mutating func resolve(_ query: Query) -> Result<Query, Query.QueryErrors> {
        for case .defined(let name) in query.condition.tests.map(\.kind) where name.contains(":") {
            if let errors = read(name) { return .failure(errors) }
        }
        return .success(Query(condition: query.condition, tables: tables))
    }

    private mutating func read(_ name: String) -> Query.QueryErrors? {
        guard !open.contains(name), open.count < Self.deepest else {
            let chain = (open + [name]).joined(separator: ", ")
            return Query.QueryErrors(diagnostics: [
                Diagnostic(
                    .error, code: "R046", file: name, line: 1, column: 1, length: 1,
                    message: "'\(name)' refers to itself: \(chain)", suggestion: nil,
                    sourceLine: text(name))
            ])
        }
        guard tables.defines[name] == nil else { return nil }
        open.append(name)
        defer { open.removeLast() }
        switch Query.parse(text(name), names: names, tables: tables, file: name) {
        case .failure(let errors): return errors
        case .success(let query):
            for case .defined(let inner) in query.condition.tests.map(\.kind) where inner.contains(":") {
                if let errors = read(inner) { return errors }
            }
            tables.defines[name] = query.condition
            return nil
        }
    }

    private func text(_ name: String) -> String {
        tables.searches[String(name.dropFirst(Self.prefix.count + 1))] ?? ""
    }
}

extension RuleSet {
    /// The rule set for queries that may use these saved searches.
    public func knowing(searches: [String: String]) -> RuleSet {
        var rules = self
        rules.tables.searches = searches
        return rules
    }
}

extension Query {
    /// Whether a saved search can have that name.
    public static func isSearchName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) || $0 == 0x2D || $0 == 0x5F
            }
    }
}
