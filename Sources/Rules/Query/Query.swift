public import Models

/// A query that a user typed: `opus search`, `opus list`, and the strings after `when:`.
public struct Query: Sendable {
    let condition: Condition
    let tables: RuleTables

    /// Findings of one query; their file is `query`, their line 1.
    public struct QueryErrors: Error, Sendable {
        public let diagnostics: [Diagnostic]
    }

    /// Parses a query. An empty one matches everything.
    public static func parse(_ text: String) -> Result<Query, QueryErrors> {
        parse(text, names: KnownNames(hasRules: false), tables: RuleTables())
    }

    static func parse(
        _ text: String, names: KnownNames, tables: RuleTables, file: String = "query"
    ) -> Result<Query, QueryErrors> {
        var parser = QueryParser(text, names: names)
        guard let condition = parser.parse() else {
            let diagnostics = parser.problems.prefix(20).map { problem in
                Diagnostic(
                    problem.isWarning ? .warning : .error, code: problem.code, file: file, line: 1,
                    column: problem.offset + 1, length: problem.length, message: problem.message,
                    suggestion: problem.suggestion, sourceLine: text)
            }
            return .failure(QueryErrors(diagnostics: diagnostics))
        }
        return .success(Query(condition: condition, tables: tables))
    }

    /// The query in the program's own spelling. Parsing it gives the same query.
    public var text: String { condition.query }

    /// Whether the message matches. Unknown facts (a body that was not fetched) do not match.
    public func matches(_ facts: MessageFacts, in context: RuleContext) -> Bool {
        matcher(in: context)(facts)
    }

    /// The same for many messages.
    public func matcher(in context: RuleContext) -> (MessageFacts) -> Bool {
        let surface = Surface(context, tables)
        return { FactsView($0, surface: surface).judge(condition) == .yes }
    }

    public var needs: FactNeeds { tables.needs(of: condition) }

    /// Whether only second copies can match: the store knows all of them.
    public var asksForCopiesOnly: Bool { Self.asksForCopiesOnly(condition) }

    private static func asksForCopiesOnly(_ condition: Condition) -> Bool {
        switch condition {
        case .always, .any, .not: return false
        case .all(let branches): return branches.children.contains { asksForCopiesOnly($0) }
        case .test(let test):
            guard case .state(.duplicate) = test.kind else { return false }
            return true
        }
    }
}
