import Models
import Testing

@testable import Rules

/// Answers, forwards, waits, notices and proposals: to whom, and when none is made.
@Suite struct LetterTests {
    private let sending = context { $0.allowSend = true }

    private func letter(_ then: String, _ facts: MessageFacts = mail()) throws -> Letter? {
        try actions(then, facts, sending).actions.compactMap { action in
            if case .make(.letter(let letter)) = action { letter } else { nil }
        }.first
    }

    @Test func `a reply goes to Reply-To, or else to From, as a draft`() throws {
        let plain = try #require(try letter("{ reply: 'Thanks, {{from.name}}.' }"))
        #expect(plain == Letter(.reply, to: mail().from, text: "Thanks, Ana Ruiz."))
        let desk = try letter(
            "{ reply: x }", mail { $0.replyTo = [EmailAddress(localPart: "d", domain: "x.org")] })
        #expect(desk?.to.map(\.addrSpec) == ["d@x.org"])
    }

    @Test func `a forward goes only to the rule's address, with its note`() throws {
        let short = try letter("{ forward: Books <books@acme.example> }")
        #expect(short?.to.map(\.addrSpec) == ["books@acme.example"])
        let full = try letter("{ forward: { to: books@acme.example, note: 'See {{subject}}', send: now } }")
        #expect(full?.text == "See Invoice INV-2041: the Q3 plan")
        #expect(full?.sending == .now)
    }

    @Test func `automatic mail and list mail is never answered automatically`() throws {
        let list = mail { $0.headers.append(HeaderField(name: "List-Id", body: "<a.b>")) }
        let evaluation = try actions("[{ reply: { text: x, send: now } }, archive]", list, sending)
        #expect(evaluation.warnings.count == 1)
        #expect(try letter("{ reply: { text: x, send: now } }", list)?.sending == .draft)
        #expect(try letter("{ forward: { to: b@x.org, send: now } }", list)?.sending == .draft)
    }

    @Test func `no mail is sent to the user's own address, and the message is kept`() throws {
        for then in ["[{ forward: me@home.example }, archive]", "[{ reply: x }, archive]"] {
            let own = mail { $0.from = [EmailAddress(localPart: "me", domain: "home.example")] }
            let evaluation = try actions(then, own, sending)
            #expect(evaluation.actions == [.keep], "\(then)")
            #expect(evaluation.warnings.count == 1)
        }
    }

    @Test func `a reply to a thousand addresses is limited`() throws {
        let many = mail { facts in
            facts.replyTo = (0..<1_000).map { EmailAddress(localPart: "a\($0)", domain: "x.org") }
        }
        #expect(try letter("{ reply: x }", many)?.to.count == 5)
    }

    @Test func `a wait is for the sender, unless the rule names a person`() throws {
        let plain = try actions("waiting").actions
        #expect(plain == [.waiting(Waiting(on: mail().from[0]))])
        let named = try actions(
            "{ waiting: { for: bob@x.org, title: 'Bob: {{subject}}', follow-up: 2026-04-01 } }")
        guard case .make(.waiting(let waiting))? = named.actions.first else {
            Issue.record("no wait")
            return
        }
        #expect(waiting.on.addrSpec == "bob@x.org")
        #expect(waiting.title == "Bob: Invoice INV-2041: the Q3 plan")
        #expect(waiting.followUp == CalendarDate("2026-04-01").map { .date($0) })
    }

    @Test func `a notice names sender and subject, or has the rule's text`() throws {
        #expect(try actions("notify").actions == [.notify("Ana Ruiz: Invoice INV-2041: the Q3 plan")])
        #expect(
            try actions("{ notify: 'Money: {{subject}}' }").actions == [
                .notify("Money: Invoice INV-2041: the Q3 plan")
            ])
    }

    @Test func `unsubscribing is suggested only if the mail offers a way`() throws {
        let list = mail { $0.headers.append(HeaderField(name: "List-Unsubscribe", body: "<mailto:x@y.org>")) }
        #expect(try actions("[unsubscribe, archive]", list).actions == [.unsubscribe, .archive])
        let none = try actions("[unsubscribe, archive]")
        #expect(none.actions == [.keep])
        let set = try rules("rules:\n  - { id: r, when: '*', then: unsubscribe }")
        #expect(set.needs == .headers)
    }

    @Test func `rule tests can expect answers, forwards, waits, notices and suggestions`() throws {
        let set = try rules(
            """
            rules:
              - { id: r, when: 'subject:x', then: [{ reply: hi }, { forward: b@x.org }, waiting, { notify: n }] }
            tests:
              - name: all
                mail: { from: ana@x.org, subject: x }
                expect: { reply: ana@x.org, forward: b@x.org, waiting: ana@x.org, notify: n, unsubscribe: false }
              - { name: none, mail: { from: ana@x.org }, expect: { reply: none, forward: none, waiting: none } }
              - { name: wrong, mail: { from: ana@x.org, subject: x }, expect: { reply: bob@x.org } }
            """)
        let results = set.runTests(context: context())
        #expect(results.map(\.passed) == [true, true, false], "\(results.map(\.detail))")
        #expect(results[2].detail == "reply: expected 'bob@x.org', got 'ana@x.org'")
    }
}
