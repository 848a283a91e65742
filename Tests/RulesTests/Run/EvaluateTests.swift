import Models
import Testing

@testable import Rules

@Suite struct EvaluateTests {
    private func evaluate(_ text: String, _ facts: MessageFacts = mail(), _ context: RuleContext = context())
        throws
        -> Evaluation
    {
        try rules(text).evaluate(facts, in: context)
    }

    private func label(_ name: String) -> Action { .label(Keyword(name)) }

    @Test("a message that no rule matches is kept")
    func defaultKeep() throws {
        let evaluation = try evaluate("rules:\n  - { id: a, when: from:bob, then: trash }")
        #expect(evaluation == Evaluation())
        #expect(evaluation.disposition == .keep)
        #expect(RuleSet.empty.evaluate(mail(), in: context()).disposition == .keep)
    }

    @Test("a rule that only marks does not end the triage of a message, one that moves does")
    func order() throws {
        let evaluation = try evaluate(
            """
            rules:
              - { id: a, when: '*', then: { label: one } }
              - { id: b, when: '*', then: [archive, { label: two }] }
              - { id: c, when: '*', then: [trash, { label: three }] }
            """)
        #expect(evaluation.actions == [label("one"), label("two"), .archive])
        #expect(evaluation.matchedRules == ["a", "b"])
        #expect(evaluation.shadowed.isEmpty)
    }

    @Test("stop ends triage after a mark, and continue lets later rules mark but not move")
    func stopAndContinue() throws {
        let stopped = try evaluate(
            "rules:\n  - { id: a, when: '*', then: flag, stop: true }\n  - { id: b, when: '*', then: archive }"
        )
        #expect(stopped.actions == [.flag])
        let continued = try evaluate(
            """
            rules:
              - { id: a, when: '*', then: archive, continue: true }
              - { id: b, when: '*', then: [trash, flag], continue: true }
              - { id: c, when: '*', then: { label: x } }
            """)
        #expect(continued.actions == [.flag, label("x"), .archive])
        #expect(continued.shadowed == [Plan.Decision(rule: "b", action: .trash)])
    }

    @Test(
        "a rule that fails keeps the message from later moves, also the next time"
    )
    func failureKeeps() throws {
        let cases = [
            ("[ { move: Nowhere }, { label: a } ], continue: true", [label("a"), .keep]),
            ("[ { label: '{{subject}}' }, { label: a } ]", [label("a"), .keep]),
            ("[ unsubscribe, { label: a } ]", [label("a"), .keep]),
        ]
        for (then, expected) in cases {
            let text = """
                rules:
                  - { id: a, when: '*', then: \(then) }
                  - { id: b, when: '*', then: [ trash, flag ] }
                """
            let first = try evaluate(text)
            #expect(first.actions == [expected[0], .keep], "\(then)")
            #expect(first.shadowed.isEmpty, "\(then)")
            #expect(first.warnings.count == 1, "\(then)")
            let again = context {
                $0.remembered = [RememberedMatch(rule: "a", message: mail().id)]
            }
            let second = try evaluate(text, mail(), again)
            #expect(second.actions == [.keep], "\(then)")
            #expect(second.warnings.isEmpty, "\(then)")
        }
        let done = try evaluate(
            "rules:\n  - { id: a, when: '*', then: { label: a } }\n  - { id: b, when: '*', then: trash }",
            mail(),
            context { $0.remembered = [RememberedMatch(rule: "a", message: mail().id)] })
        #expect(done.actions == [.trash])
    }

    @Test("only the first matching rule of a group acts, and triage continues after the group")
    func choose() throws {
        let evaluation = try evaluate(
            """
            rules:
              - choose:
                  - { id: a, when: from:bob, then: { label: a } }
                  - { id: b, when: from:ana, then: { label: b } }
                  - { id: c, when: '*', then: { label: c } }
              - { id: d, when: '*', then: { label: d } }
            """)
        #expect(evaluation.actions == [label("b"), label("d")])
    }

    @Test(
        "a protection prevents every move, but not marks",
        arguments: ["archive", "trash", "junk", "{ move: INBOX }", "{ defer: monday }"])
    func protect(_ then: String) throws {
        let text = "protect:\n  - pdfs: has:pdf\nrules:\n  - { id: a, when: '*', then: [\(then), flag] }\n"
        let evaluation = try evaluate(text)
        #expect(evaluation.actions == [.flag, .keep])
        #expect(evaluation.protectedBy == "pdfs")
        #expect(evaluation.shadowed.count == 1)
        let other = try evaluate(text, mail { $0.attachments = [] })
        #expect(other.protectedBy == nil)
        #expect(other.shadowed.isEmpty)
    }

    @Test("a protection is reported only if it prevented something")
    func silentProtect() throws {
        let text = "protect:\n  - pdfs: has:pdf\nrules:\n  - { id: a, when: '*', then: [keep, flag] }\n"
        #expect(try evaluate(text).protectedBy == nil)
    }

    @Test("a rule acts once on a message, and one that ended triage still ends it")
    func once() throws {
        let text = "rules:\n  - { id: a, when: '*', then: archive }\n  - { id: b, when: '*', then: trash }"
        let again = context { $0.remembered = [RememberedMatch(rule: "a", message: EmailID(rawValue: "m1"))] }
        let evaluation = try evaluate(text, mail(), again)
        #expect(evaluation.decisions.isEmpty)
        #expect(evaluation.matchedRules == ["a"])
        let marks = "rules:\n  - { id: a, when: '*', then: flag }\n  - { id: b, when: '*', then: trash }"
        #expect(try evaluate(marks, mail(), again).actions == [.trash])
    }

    @Test("a rule that cannot be judged keeps the message and reports it, and later rules do not act")
    func unknown() throws {
        let text =
            "rules:\n  - { id: a, when: 'body:x', then: archive }\n  - { id: b, when: '*', then: trash }"
        let evaluation = try evaluate(text, mail { $0.text = nil })
        #expect(evaluation.disposition == .keep)
        #expect(
            evaluation.warnings == [
                "rule a could not be judged without the text; the message is kept   rules/a.yaml:3"
            ])
        let task =
            "rules:\n  - { id: a, when: '*', then: [{ task: { title: x, due: '{{date-in-body}}' } }, archive] }"
        #expect(try evaluate(task, mail { $0.text = nil }).decisions.isEmpty)
        let protected = try evaluate(
            "protect:\n  - p: body:x\nrules:\n  - { id: b, when: '*', then: trash }", mail { $0.text = nil })
        #expect(protected.disposition == .keep)
        #expect(protected.protectedBy == "p")
    }

    @Test("unless excludes messages; accounts and enabled narrow a rule")
    func scope() throws {
        #expect(
            try evaluate("rules:\n  - { id: a, when: '*', unless: from:ana, then: flag }").actions.isEmpty)
        #expect(
            try evaluate("rules:\n  - { id: a, when: '*', unless: from:bob, then: flag }").actions == [.flag])
        #expect(
            try evaluate("rules:\n  - { id: a, when: '*', then: flag, accounts: [home] }").actions.isEmpty)
        #expect(try evaluate("rules:\n  - { id: a, when: '*', then: flag, enabled: false }").actions.isEmpty)
        #expect(
            try evaluate("accounts: [home]\nrules:\n  - { id: a, when: '*', then: flag }").actions.isEmpty)
        #expect(
            try evaluate("accounts: [home]\nrules:\n  - { id: a, when: '*', then: flag, accounts: work }")
                .actions == [.flag])
    }

    @Test("matched: tests the conditions of the other rule, not its actions")
    func matched() throws {
        let evaluation = try evaluate(
            """
            rules:
              - { id: a, when: 'matched:c', then: { label: a } }
              - { id: b, when: '*', then: archive }
              - { id: c, when: from:ana, unless: is:read, then: flag }
            """)
        #expect(evaluation.actions == [label("a"), .archive])
        let read = mail { $0.flags = [.seen] }
        #expect(
            try evaluate(
                "rules:\n  - { id: a, when: -matched:c, then: junk }\n  - { id: c, when: from:ana, unless: is:read, then: flag }",
                read
            ).actions == [.junk])
    }

    @Test("the same mark of two rules is made once")
    func duplicates() throws {
        let text = "rules:\n  - { id: a, when: '*', then: flag }\n  - { id: b, when: '*', then: flag }"
        #expect(try evaluate(text).actions == [.flag])
    }

    @Test("the time zone of a file applies to its dates")
    func zone() throws {
        let text =
            "time-zone: America/New_York\nrules:\n  - { id: a, when: '*', then: { defer: monday 09:00 } }"
        // 09:00 in New York is 13:00 UTC after 8 March.
        #expect(try evaluate(text).actions == [.deferUntil(Timestamp(seconds: 1_773_666_000))])
    }

    @Test("a second evaluation of the same facts gives the same result")
    func pure() throws {
        let set = try rules(
            "rules:\n  - { id: a, when: 'subject:/(?P<x>INV)/', then: [{ task: '{{x}}' }, { defer: monday }] }"
        )
        #expect(set.evaluate(mail(), in: context()) == set.evaluate(mail(), in: context()))
    }

    @Test("explain shows each condition and the value in the message")
    func explain() throws {
        let set = try rules(
            """
            rules:
              - id: a
                when: { from: bob, subject: { matches: '(?P<number>INV-\\d+)' }, not: { has: pdf } }
                unless: is:flagged
                then: flag
              - { id: b, when: '*', then: archive }
              - { id: c, when: 'subject:x', then: flag }
            """)
        let all = set.explain(
            mail { $0.subject = "INV-7 " + String(repeating: "y", count: 900) }, in: context())
        #expect(all.map(\.id) == ["a", "b", "c"])
        #expect(all.map(\.matched) == [false, true, false])
        #expect(all.map(\.wasReached) == [true, true, false])
        let conditions = all[0].conditions
        #expect(
            conditions.map(\.text) == [
                "from:bob", "subject:/(?P<number>INV-\\d+)/", "-has:pdf", "-is:flagged",
            ])
        #expect(conditions.map(\.matched) == [false, true, false, true])
        #expect(conditions[0].sawValue == "Ana Ruiz <Ana@sales.acme.example>")
        #expect(conditions[1].sawValue == "number = \"INV-7\"")
        #expect(conditions[2].sawValue == "INV-2041.pdf")
        #expect(all[2].conditions[0].sawValue.count == 200)
        #expect(all[2].line == 8)
    }

    @Test("explain names the acting rule of a group, and the rules that were not tried")
    func explainGroup() throws {
        let set = try rules(
            """
            rules:
              - choose:
                  - { id: a, when: 'subject:no', then: flag }
                  - { id: b, when: 'from:ana', then: flag }
                  - { id: c, when: 'from:ana', then: archive }
                  - { id: d, when: 'body:x', then: archive }
              - { id: e, when: 'from:ana', then: { label: x } }
            """)
        let all = set.explain(mail { $0.text = nil }, in: context())
        #expect(all.map(\.wasReached) == [true, true, false, false, true])
        let taken = "not tried: 'b' of its group matched"
        #expect(all.map(\.note) == [nil, nil, taken, taken, nil])
    }

    @Test("the value in the message is reported for every kind of condition")
    func seen() throws {
        for entry in RulesLanguage.conditions where entry.name != "matched" {
            let view = FactsView(mail(), context: context(), tables: RuleTables())
            for test in try query(entry.example).condition.tests {
                #expect(!view.seen(test).isEmpty, "\(entry.name)")
            }
        }
    }
}
