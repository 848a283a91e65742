import Models

/// Queries that the user saved under a name, and uses in other queries: `query:bills older:7d`.
struct SavedSearches {
    private static let deepest = 16

    private var tables: RuleTables
    private let names: KnownNames
    /// The searches that are being resolved, outermost first.
    private var open: [String] = []

    init(tables: RuleTables, names: KnownNames) {
        self.tables = tables
        self.names = names
    }

    /// Resolves all saved searches that the query uses, directly or through others.
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
        tables.searches[String(name.dropFirst(SearchName.prefix.count + 1))] ?? ""
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
    /// Whether a query may use a name from the rule files or from the saved searches: a definition (`is:bulk`), a list
    /// (`from:@vip`), a rule (`matched:invoice`), or a search (`query:bills`), which may use the others. All other queries
    /// mean the same without the rules.
    public static func mayUseRules(_ text: String) -> Bool {
        let text = text.lowercased()
        if ["is:", "matched:", "query:"].contains(where: text.contains) { return true }
        // The `@` of an address follows a letter or digit; in front of a list or a domain, it does not.
        var before: Character = " "
        for letter in text {
            if letter == "@", !before.isLetter, !before.isNumber { return true }
            before = letter
        }
        return false
    }

    /// Parses a query that may use the lists, definitions and rules of a rule set, including its saved
    /// searches.
    public static func parse(_ text: String, rules: RuleSet) -> Result<Query, QueryErrors> {
        var names = rules.tables.names
        names.searches = Set(rules.tables.searches.keys)
        return parse(text, names: names, tables: rules.tables).flatMap { query in
            var saved = SavedSearches(tables: rules.tables, names: names)
            return saved.resolve(query)
        }
    }
}
