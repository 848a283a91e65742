public import Models

/// A query that a user typed: `opus search`, `opus list`, and the strings after `when:`.
public struct Query: Sendable {
    let condition: Condition
    let tables: RuleTables

    /// Findings of one query; their file is `query`, their line 1.
    public struct QueryErrors: Error, Sendable {
        public let diagnostics: [Diagnostic]
    }

    /// Reads a query. An empty one finds everything.
    public static func parse(_ text: String) -> Result<Query, QueryErrors> {
        parse(text, names: KnownNames(hasRules: false), tables: RuleTables())
    }

    /// Reads a query that may use the lists, definitions and rules of a rule set.
    public static func parse(_ text: String, rules: RuleSet) -> Result<Query, QueryErrors> {
        parse(text, names: rules.tables.names, tables: rules.tables)
    }

    private static func parse(
        _ text: String, names: KnownNames, tables: RuleTables
    ) -> Result<Query, QueryErrors> {
        var parser = QueryParser(text, names: names)
        guard let condition = parser.parse() else {
            let diagnostics = parser.problems.prefix(20).map { problem in
                Diagnostic(
                    problem.isWarning ? .warning : .error, code: problem.code, file: "query", line: 1,
                    column: problem.offset + 1, length: problem.length, message: problem.message,
                    suggestion: problem.suggestion, sourceLine: text)
            }
            return .failure(QueryErrors(diagnostics: diagnostics))
        }
        return .success(Query(condition: condition, tables: tables))
    }

    /// The query as the program writes it: read again, it is the same.
    public var text: String { condition.query }

    /// Whether the message matches. What is not known (a body that was not fetched) does not match.
    public func matches(_ facts: MessageFacts, in context: RuleContext) -> Bool {
        matcher(in: context)(facts)
    }

    /// The same for many messages, one after the other.
    public func matcher(in context: RuleContext) -> (MessageFacts) -> Bool {
        let surface = Surface(context, tables)
        return { FactsView($0, surface: surface).judge(condition) == .yes }
    }

    public var needs: FactNeeds { tables.needs(of: condition) }

    /// A lower bound of the ``MessageFacts/date`` of matching messages; nil: there is none.
    public func earliest(now: Timestamp) -> Timestamp? { Self.earliest(condition, now) }

    private static func earliest(_ condition: Condition, _ now: Timestamp) -> Timestamp? {
        switch condition {
        case .always, .any, .not: return nil
        case .all(let branches): return branches.children.compactMap { earliest($0, now) }.max()
        case .test(let test):
            guard case .age(let sign, let seconds) = test.kind else { return nil }
            switch sign {
            case .less, .lessOrEqual, .equal: return now - seconds
            case .greater, .greaterOrEqual: return nil
            }
        }
    }

    /// Whether nothing but second copies can match: the store knows them all.
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

    /// Which column of a search index a term is for.
    public enum TermField: Sendable {
        case subject
        case address
        case text
        case any
    }

    /// Words that a matching message must contain, for the search index; empty when the index cannot help.
    ///
    /// Each text is folded. It begins where a word begins, and its last word may be the beginning of a longer
    /// one: ask the index for the phrase as a prefix.
    public var requiredTerms: [(field: TermField, text: String)] { Self.terms(of: condition) }

    private static func terms(of condition: Condition) -> [(field: TermField, text: String)] {
        switch condition {
        case .always, .any, .not: []
        case .all(let branches): branches.children.flatMap { terms(of: $0) }
        case .test(let test): term(of: test).map { [$0] } ?? []
        }
    }

    private static func term(of test: ConditionTest) -> (field: TermField, text: String)? {
        switch test.kind {
        case .text(let field, .phrase(let phrase)), .text(let field, .exact(let phrase)):
            guard isIndexable(phrase) else { return nil }
            switch field {
            case .subject: return (.subject, phrase.string)
            case .body: return (.text, phrase.string)
            case .anyText: return (.any, phrase.string)
            case .attachmentName, .attachmentType, .header: return nil
            }
        case .address(let field, let matcher):
            return indexes(field) ? addressTerm(matcher) : nil
        case .text, .amount, .age, .time, .clock, .weekday, .state, .keyword, .mailbox, .taskList,
            .waited,
            .authentication, .thread, .defined, .matched:
            return nil
        }
    }

    /// Bcc, Reply-To and Sender are in no index.
    private static func indexes(_ field: AddressField) -> Bool {
        switch field {
        case .from, .to, .cc: true
        case .bcc, .replyTo, .sender, .recipient, .deliveredTo, .returnPath: false
        }
    }

    private static func addressTerm(_ matcher: AddressMatcher) -> (field: TermField, text: String)? {
        switch matcher {
        case .domain(let phrase), .exact(let phrase), .phrase(let phrase):
            return isIndexable(phrase) ? (.address, phrase.string) : nil
        case .glob, .me, .known, .list, .contains, .regex, .present: return nil
        }
    }

    /// A word index does not split Chinese or Thai, and has no punctuation.
    private static func isIndexable(_ text: FoldedText) -> Bool {
        let scalars = text.string.unicodeScalars
        return scalars.contains { FoldedText.isWord($0) } && !scalars.contains { FoldedText.isUnspaced($0) }
    }
}
