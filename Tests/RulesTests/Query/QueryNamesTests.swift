import Models
import Testing

@testable import Rules

/// The rules are read only for a query that may use them.
@Suite struct QueryNamesTests {
    private static let rules = """
        rules-version: 1
        lists:
          vip: [bob@x.example]
        define: { bulk: 'subject:digest' }
        rules:
          - { id: invoice, when: 'subject:invoice', then: [archive] }
        """

    @Test(
        "a query that may use a name from the rules is recognised",
        arguments: [
            "is:bulk", "-is:bulk", "IS:bulk", "budget (is:bulk or from:ana)", "thread:has(is:bulk)",
            "from:@vip",
            "from:\"@vip\"", "from:(@vip or ana)", "from:@acme.example", "to:=@vip", "matched:invoice",
            "query:bills",
            "subject:x -matched:invoice",
        ])
    func uses(query: String) {
        #expect(Query.mayUseRules(query))
    }

    @Test(
        "any other query means the same without the rules",
        arguments: [
            "budget", "budget meeting", "\"review draft\"", "from:ana@acme.example", "from:jensen budget",
            "ledo*", "会議",
            "has:pdf subject:invoice older:7d", "in:Archive -label:news", "from:/ana.*x/", "size>2M",
            "thread:has(from:ana)",
            "mid:<a1@x.example>", "from:me to:known", "bulk", "invoice", "vip", "text:~\"a b\"",
        ])
    func means(query: String) throws {
        let compiled = RuleSet.compile([.init(file: "a.yaml", text: Self.rules)], accounts: []) { _ in nil }
        #expect(compiled.diagnostics.filter { $0.severity == .error }.isEmpty)
        #expect(!Query.mayUseRules(query))
        let alone = try Query.parse(query, rules: .empty).get()
        let among = try Query.parse(query, rules: compiled.rules).get()
        #expect(String(describing: alone.condition) == String(describing: among.condition))
    }
}
