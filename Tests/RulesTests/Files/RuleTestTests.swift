import Models
import Testing

@testable import Rules

@Suite struct RuleTestTests {
    static let head = """
        rules:
          - id: pay
            when: { subject: invoice, has: pdf, from: '@shop.example' }
            then: [{ task: { title: '{{subject}}', list: next, context: '@x', due: '{{date-in-body}}', start: tomorrow } }, { label: [a, b] }, flag, { mark: read }, archive]
          - { id: old, when: 'subject:news', then: { defer: monday } }
          - { id: file, when: 'subject:report', then: { move: Reports } }
          - { id: hand, when: 'subject:support', then: { delegate: bob@x.org } }
          - { id: early, when: 'from:boss', then: keep }
          - { id: late, when: 'from:boss', then: { unlabel: z } }
          - { id: friend, when: 'from:known', then: flag }
        protect:
          - tasks: has:open-task

        """
    static let invoice =
        "from: a@shop.example, subject: Invoice 7, text: 'due 31 March', attachments: [a.pdf]"

    private func detail(_ mail: String, _ expect: String) throws -> String {
        let text =
            Self.head
            + "tests:\n  - { name: t, at: 2026-03-10 09:00, mail: { \(mail) }, expect: { \(expect) } }\n"
        let results = try rules(text).runTests(context: context())
        let result = try #require(results.first)
        #expect(result.passed == result.detail.isEmpty)
        return result.detail
    }

    @Test(
        "met expectations pass",
        arguments: [
            (invoice, "rule: pay, disposition: archive, labels: [b, a], flagged: true, read: true"),
            (
                invoice,
                "task: { title: Invoice 7, list: next, context: '@x', due: 31 March, start: 2026-03-11 }"
            ),
            (invoice, "task: Invoice 7, delegate: none"),
            ("subject: news", "defer: 2026-03-16 08:00, disposition: defer, task: none"),
            ("subject: report", "move: Reports, disposition: move, flagged: false"),
            ("subject: support", "delegate: { to: BOB@x.org }, disposition: keep"),
            ("subject: lunch", "rule: none, disposition: keep"),
            (invoice + ", open-task: true", "protected-by: tasks, disposition: keep"),
            ("from: boss@x.org", "rule: early"),
            ("subject: lunch, flags: [read, flagged]", "flagged: true, read: true"),
        ])
    func holds(_ mail: String, _ expect: String) throws {
        #expect(try detail(mail, expect) == "")
    }

    @Test(
        "a failed test names the first failed condition and the value in the message",
        arguments: [
            (
                "from: a@shop.example, subject: Invoice 7", "rule: pay",
                "rule: 'pay' did not match: has:pdf failed; the message has: no attachments"
            ),
            (
                "from: a@x.org, subject: Invoice 7, attachments: [a.pdf]", "rule: pay",
                "rule: 'pay' did not match: from:@shop.example failed; the message has: a@x.org"
            ),
            (
                "subject: Lunch", "rule: pay",
                "rule: 'pay' did not match: subject:invoice failed; the message has: \"Lunch\""
            ),
            (invoice, "rule: none", "rule: expected none, but 'pay' matched"),
            (
                "from: boss@x.org", "rule: late",
                "rule: 'late' would match, but 'early' ended the triage before it"
            ),
            (invoice, "disposition: trash", "disposition: expected 'trash', got 'archive'"),
            (invoice, "labels: a", "labels: expected 'a', got 'a, b'"),
            (invoice, "task: Other", "task title: expected 'Other', got 'Invoice 7'"),
            (invoice, "task: { due: 1 April }", "task due: expected '2026-04-01', got '2026-03-31'"),
            ("subject: lunch", "task: { title: x }", "task: expected one, got none"),
            ("subject: lunch", "flagged: true", "flagged: expected true, got false"),
            ("subject: lunch", "delegate: a@x.org", "delegate: expected 'a@x.org', got 'none'"),
            (
                "subject: news", "defer: 2026-03-16 09:00",
                "defer: expected '2026-03-16 09:00', got '2026-03-16 08:00'"
            ),
            ("subject: lunch", "move: Reports", "move: expected 'Reports', got keep"),
            (invoice, "protected-by: tasks", "protected-by: expected 'tasks', got 'nothing'"),
        ])
    func fails(_ mail: String, _ expect: String, _ expected: String) throws {
        #expect(try detail(mail, expect) == expected)
    }

    @Test("tests can set known senders, other accounts and header fields")
    func givens() throws {
        let text = """
            accounts: [home]
            rules:
              - { id: a, when: 'from:known list-id:x header:X-A:b cc:c@x.org size>1K keyword:k in:archive', then: flag }
            tests:
              - name: t
                known: ana@x.org
                mail: { from: Ana <ana@x.org>, list-id: x.lists, headers: { X-A: b }, cc: 'c@x.org, "D, E" <d@x.org>', size: 2K, keywords: k, in: archive }
                expect: { rule: a }
              - { name: u, account: work, mail: { from: ana@x.org }, expect: { rule: none } }
            """
        #expect(try rules(text).runTests(context: context()).map(\.detail) == ["", ""])
    }

    @Test(
        "mistakes in tests are findings",
        arguments: [
            ("{ mail: {}, expect: { rule: none } }", "R003"), ("{ name: t, expect: { rule: none } }", "R003"),
            ("{ name: t, mail: {} }", "R003"), ("{ name: t, mail: {}, expect: { rule: payy } }", "R042"),
            ("{ name: t, mail: { form: x }, expect: { rule: none } }", "R015"),
            ("{ name: t, mail: { from: x }, expect: { rule: none } }", "R023"),
            ("{ name: t, at: tomorrow, mail: {}, expect: { rule: none } }", "R022"),
            ("{ name: t, mail: {}, expect: { disposition: eat } }", "R020"),
            ("{ name: t, mail: {}, expect: { ruel: none } }", "R015"),
            ("{ name: t, mail: { flags: x }, expect: { rule: none } }", "R020"),
            ("{ name: t, mail: { size: x }, expect: { rule: none } }", "R024"),
            ("{ name: t, mail: {}, expect: { task: { due: x } } }", "R022"),
        ])
    func mistakes(_ test: String, _ code: String) {
        let found = compile(Self.head + "tests:\n  - \(test)\n").diagnostics
        #expect(found.filter { $0.severity == .error }.map(\.code) == [code])
    }
}
