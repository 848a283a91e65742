import Models
import Testing

@testable import Rules

@Suite struct RuleTestJudgingTests {
    private static let bills = """
        rules:
          - { id: bill, when: 'subject:bill', then: [{ label: bills }, archive] }
        tests:
          - { name: a bill goes, mail: { subject: Bill }, expect: { rule: bill, disposition: archive } }
          - { name: lunch stays, mail: { subject: Lunch }, expect: { rule: none } }
        """

    /// Name, whether it passed, and the rules of the warning.
    private func results(_ files: String...) throws -> [String] {
        let sources = files.enumerated().map {
            RuleSet.Source(file: "rules/\($0.offset).yaml", text: "rules-version: 1\n" + $0.element)
        }
        let (rules, diagnostics) = RuleSet.compile(sources, accounts: [], readList: { _ in nil })
        if let error = diagnostics.first(where: { $0.severity == .error }) { throw Refused(text: "\(error)") }
        return rules.runTests(context: context()).map { result in
            let words = result.interference.map { " \($0.rule) < \($0.other) \($0.otherFile)" } ?? ""
            return result.name + (result.passed ? " ✓" : " ✗ " + result.detail) + words
        }
    }

    @Test("a rule of another file does not fail a test, and is reported with the tested rule")
    func others() throws {
        let mine = "rules: [{ id: mine, when: '*', then: trash }]\n"
        #expect(
            try results(Self.bills, mine) == ["a bill goes ✓", "lunch stays ✓ bill < mine rules/1.yaml"])
        #expect(
            try results(mine, Self.bills) == [
                "a bill goes ✓ bill < mine rules/0.yaml", "lunch stays ✓ bill < mine rules/0.yaml",
            ])
        let marks = "rules: [{ id: marks, when: 'subject:bill', then: { label: x } }]\n"
        #expect(try results(marks, Self.bills) == ["a bill goes ✓", "lunch stays ✓"])
        let guarded = "protect: [{ bills: 'subject:bill' }]\n"
        #expect(
            try results(guarded, Self.bills) == ["a bill goes ✓ bill < bills rules/0.yaml", "lunch stays ✓"])
    }

    @Test("the reported rule is the one that makes the difference")
    func theRightOne() throws {
        let more = """
            rules:
              - { id: first, when: 'subject:bill', then: { label: x } }
              - { id: second, when: 'subject:bill', then: keep }
            """
        #expect(
            try results(more, Self.bills) == ["a bill goes ✓ bill < second rules/0.yaml", "lunch stays ✓"])
    }

    @Test("a test is judged together with everything that it names, in any file")
    func named() throws {
        let names = """
            lists: { people: [a@x.org] }
            define: { large: 'size>1M' }
            protect: [{ mine: 'from:@people' }]
            rules:
              - { id: large, when: 'is:large', then: archive }
            """
        let asks = """
            rules:
              - { id: asks, when: 'from:@people is:large matched:large', then: flag }
            tests:
              - { name: condition, mail: { from: a@x.org, size: 2M }, expect: { rule: asks, flagged: true, disposition: keep } }
              - { name: rule, mail: { size: 2M }, expect: { rule: large, disposition: archive } }
              - { name: protection, mail: { from: a@x.org, size: 2M }, expect: { protected-by: mine, disposition: keep } }
            """
        #expect(try results(asks, names) == ["condition ✓", "rule ✓", "protection ✓"])
        #expect(try results(names, asks).first == "condition ✓ asks < large rules/0.yaml")
    }

    @Test("tests in a file without rules are judged with all rules")
    func testsAlone() throws {
        let guarding = "tests: [{ name: stays, mail: { subject: Bill }, expect: { disposition: keep } }]\n"
        #expect(
            try results(Self.bills, guarding).last
                == "stays ✗ disposition: expected 'keep', got 'archive'")
    }

    @Test(
        "a test that passes only with another file passes with a warning, and one that always fails fails"
    )
    func besideAnother() throws {
        let leans = """
            rules: [{ id: own, when: 'subject:other', then: flag }]
            tests:
              - { name: leans, mail: { subject: Bill }, expect: { disposition: archive } }
              - { name: wrong, mail: { subject: Bill }, expect: { disposition: trash } }
            """
        #expect(
            try results(Self.bills, leans).suffix(2) == [
                "leans ✓ own < bill rules/0.yaml", "wrong ✗ disposition: expected 'trash', got 'keep'",
            ])
    }

    @Test("a test can expect a protection even if no rule moves the mail")
    func protections() throws {
        let text = """
            protect: [{ flagged: 'is:flagged' }]
            tests:
              - { name: held, mail: { subject: Bill, flags: [flagged] }, expect: { protected-by: flagged } }
              - { name: free, mail: { subject: Bill }, expect: { protected-by: flagged } }
            """
        #expect(
            try results(text) == ["held ✓", "free ✗ protected-by: expected 'flagged', got 'nothing'"])
    }
}
