import Models
import Testing

@testable import Rules

/// The conditions of the everyday loop: the event of an invitation, sums of money, and how long a sender was silent.
@Suite("Everyday conditions")
struct EverydayConditionTests {
    private func holds(
        _ query: String, _ facts: MessageFacts, _ surroundings: RuleContext = context()
    ) throws -> Bool {
        let rules = try rules("rules:\n  - { id: r, when: '\(query)', then: flag }\n")
        return rules.evaluate(facts, in: surroundings).matchedRules == ["r"]
    }

    private static func event(_ start: String, _ over: String?) -> EventFacts {
        EventFacts(
            start: TodoDate(start) ?? .instant(Timestamp(seconds: 0)), over: over.flatMap { TodoDate($0) })
    }

    /// The clock is 9:00 on Friday, 13 March 2026, in Paris.
    @Test(
        "event: compares the start of an event, and past means that the event has ended",
        arguments: [
            ("2026-03-13T13:00:00Z", "2026-03-13T14:00:00Z", "event:today", true),
            ("2026-03-13T13:00:00Z", "2026-03-13T14:00:00Z", "event:past", false),
            ("2026-03-13T07:00:00Z", "2026-03-13T08:00:00Z", "event:past", true),
            ("2026-03-13", "2026-03-14", "event:past", false),
            ("2026-03-12", "2026-03-13", "event:past", true),
            ("2026-03-13T08:00:00", "2026-03-13T08:59:00", "event:past", true),
            ("2026-03-13T08:00:00", "2026-03-13T09:01:00", "event:past", false),
            ("2026-03-01T08:00:00", nil, "event:past", false),
            ("2026-03-20", "2026-03-21", "event:after:2026-03-19", true),
            ("2026-03-20", "2026-03-21", "event:before:2026-03-20", false),
            ("2026-03-20", "2026-03-21", "event>=2026-03-20", true),
        ] as [(String, String?, String, Bool)])
    func events(_ start: String, _ over: String?, _ query: String, _ wanted: Bool) throws {
        #expect(try holds(query, mail { $0.event = Self.event(start, over) }) == wanted)
        #expect(try !holds(query, mail()), "a mail without an event has no date")
    }

    /// The zone is Paris: one hour before UTC in winter, two in summer.
    @Test(
        "a month or a year means all its days, in the zone of the workspace, and a search reads the same times",
        arguments: [
            ("2026-03-01T00:00:00+01:00", "date:2026-03", true),
            ("2026-02-28T23:59:59+01:00", "date:2026-03", false),
            ("2026-03-31T23:59:59+02:00", "date:2026-03", true),
            ("2026-04-01T00:00:00+02:00", "date:2026-03", false),
            ("2025-12-31T23:30:00Z", "date:2026", true), ("2025-12-31T22:30:00Z", "date:2026", false),
            ("2026-12-31T22:30:00Z", "date=2026", true), ("2026-12-31T23:30:00Z", "date:2026", false),
            ("2026-02-10T00:00:00Z", "date<2026-03", true), ("2026-03-10T00:00:00Z", "date<2026-03", false),
            ("2026-03-10T00:00:00Z", "date<=2026-03", true), ("2026-04-10T00:00:00Z", "date<=2026-03", false),
            ("2026-04-10T00:00:00Z", "date>2026-03", true), ("2026-03-10T00:00:00Z", "date>2026-03", false),
            ("2026-03-01T00:00:00Z", "date>=2026-03", true), ("2026-02-27T00:00:00Z", "date>=2026-03", false),
            ("2026-02-10T00:00:00Z", "older:2026-03", true), ("2027-01-10T00:00:00Z", "newer:2026", true),
            ("2026-12-10T00:00:00Z", "newer:2026", false), ("2024-02-29T12:00:00Z", "date:2024-02", true),
        ])
    func periods(_ time: String, _ text: String, _ wanted: Bool) throws {
        let time = try #require(Timestamp(rfc3339: time))
        let message = mail {
            $0.sent = time
            $0.received = time
        }
        #expect(try holds(text, message) == wanted)
        let span = try query(text).span(in: context())
        let isInside = (span.since.map { $0 <= time } ?? true) && (span.until.map { $0 >= time } ?? true)
        #expect(isInside || !wanted, "a search must read every message that matches")
    }

    @Test(
        "a text that only looks like a month or a year is an error",
        arguments: ["2026-13", "2026-00", "2026-3", "202", "20260", "0000", "2026-", "-2026", "٢٠٢٦"])
    func notPeriods(_ text: String) {
        #expect(throws: (any Error).self) { try query("date:'\(text)'") }
    }

    @Test("an event in a month")
    func eventMonth() throws {
        let facts = mail { $0.event = Self.event("2026-03-31T22:30:00Z", nil) }
        #expect(try holds("event:2026-04", facts), "half past midnight in Paris")
        #expect(try !holds("event:2026-03", facts))
    }

    @Test(
        "amount: compares the largest sum of a currency, in any spelling",
        arguments: [
            ("Total: 1.234,56 €", "amount>=1234.56EUR", true),
            ("Total: EUR 1,234.56", "amount:>1234 EUR", true),
            ("Net 100 EUR, VAT 20 EUR, total 120 EUR.", "amount>100EUR", true),
            ("Net 100 EUR, VAT 20 EUR, total 120 EUR.", "amount<100EUR", false),
            ("You owe $99.90", "amount:99.90 USD", true), ("You owe $99.90", "amount>50EUR", false),
            ("You owe $99.90", "amount>50", true), ("CHF 1'000.–", "amount:>=1000 CHF", true),
            ("Total : 1 234,56 € TTC", "amount>=1234.56EUR", true),
            ("100 000 EUR", "amount>=100000EUR", true), ("Bitte 100 Fr. zahlen", "amount>=100CHF", true),
            ("120 EURO", "amount>=120EUR", true),
            ("1\u{202F}234,50\u{A0}€", "amount>1234EUR", true),
            ("EUR 12 345.00", "amount:>=12345 EUR", true),
            ("2026 100 EUR", "amount>100EUR", false), ("5  100 EUR", "amount>100EUR", false),
            ("5\n100 EUR", "amount>100EUR", false), ("3 100\u{200B}EUR x", "amount>=3100EUR", true),
            ("合計 5000円", "amount>=5000JPY", true), ("HK$300", "amount>=300HKD", true),
            ("1.000,00 US-Dollar", "amount>=1000USD", true),
            ("£5", "amount<10GBP", true), ("Invoice 2041 of 31.03.2026", "amount>0", false),
            ("Call 555 1234", "amount>0", false),
            ("between 100-2000 EUR", "amount:2000 EUR", true), ("EUR 100–2000", "amount:2000 EUR", true),
            ("May 2026 EUR 10.00", "amount:10 EUR", true), ("for 2026 EUR", "amount:2026 EUR", true),
            ("Paid 10,00 EUR 24.12.2026", "amount:10 EUR", true),
            ("Paid 10.00 EUR 2026-12-24", "amount:10 EUR", true), ("Paid 10 EUR 2026", "amount:10 EUR", true),
            ("Paid EUR 24.12.2026", "amount>0", false), ("24.12.2026 EUR 10", "amount:10 EUR", true),
            ("₹1,23,456.50", "amount:123456.50 INR", true), ("10,– EUR", "amount:10 EUR", true),
            ("Order 4711: EUR 9.90", "amount:9.90 EUR", true),
            ("Your order 4711, EUR 9.90, is on its way", "amount:9.90 EUR", true),
            ("Customer 77001. EUR 9.90 was charged.", "amount:9.90 EUR", true),
            ("Invoice number: 20410\nEUR 9.90", "amount:9.90 EUR", true),
            ("Qty 2 EUR 1,600.00", "amount:1600 EUR", true), ("Pay 5.00 EUR 7.00 x", "amount:5 EUR", true),
        ])
    func amounts(_ text: String, _ query: String, _ wanted: Bool) throws {
        let facts = mail {
            $0.subject = "Invoice"
            $0.text = text
        }
        #expect(try holds(query, facts) == wanted)
    }

    @Test("the error about an amount says what is expected, and an unknown currency is a word of the search")
    func wrongAmounts() throws {
        for value in ["ten", "5 apples EUR", "EUR"] {
            let (_, found) = compile("rules:\n  - id: r\n    when: { amount: '\(value)' }\n    then: flag\n")
            #expect(found.contains { $0.code == "R024" }, "\(value)")
        }
        let facts = mail { $0.text = "100 EUR apples" }
        #expect(try holds("amount:>=100 apples", facts))
        #expect(try !holds("amount:>=100 pears", facts))
    }

    @Test("a text of digits takes linear time")
    func bounded() {
        let text = String(repeating: "1.234,56 EUR ", count: 100_000)
        #expect(Money.sums(in: text) == ["EUR": 123_456])
        #expect(Money.sums(in: String(repeating: "9", count: 300_000) + " EUR").isEmpty)
    }

    @Test("is:snoozed finds deferred mail, and is:back finds returned unread mail in the inbox")
    func deferral() throws {
        func placed(_ role: MailboxRole, _ flags: Set<Flag> = []) -> MessageFacts {
            mail {
                $0.mailbox.role = role
                $0.flags = flags
            }
        }
        #expect(try holds("is:snoozed", placed(.deferred)))
        #expect(try !holds("is:snoozed", placed(.inbox)))
        var back = context()
        #expect(try !holds("is:back", placed(.inbox), back), "nobody looked")
        back.returned = [mail().id]
        #expect(try holds("is:back", placed(.inbox), back))
        #expect(try !holds("is:back", placed(.inbox, [.seen]), back))
        #expect(try !holds("is:back", placed(.archive), back))
        back.returned = []
        #expect(try !holds("is:back", placed(.inbox), back))
    }

    @Test("task:answered needs an answer of the person to an open task")
    func answeredTask() throws {
        var facts = mail()
        facts.openTodos = [TodoID("t")]
        var surroundings = context()
        surroundings.todos = [TodoID("t"): Todo(id: TodoID("t"), list: .waiting, summary: "Waiting")]
        #expect(try !holds("task:answered", facts, surroundings), "nobody looked")
        surroundings.answered = []
        #expect(try !holds("task:answered", facts, surroundings))
        surroundings.answered = [TodoID("t")]
        #expect(try holds("task:answered", facts, surroundings))
        #expect(try !holds("task:answered", mail(), surroundings))
    }

    @Test("a rule test can say that mail has returned or was answered")
    func deferralTests() throws {
        let set = try rules(
            """
            rules:
              - { id: back, when: 'is:back', then: flag }
              - { id: answer, when: 'task:answered', then: flag }
              - { id: old, mailboxes: [Deferred], when: 'is:snoozed older:1y', then: archive }
            tests:
              - { name: back, mail: { subject: x, back: true }, expect: { rule: back } }
              - { name: opened, mail: { subject: x, back: true, flags: [read] }, expect: { rule: none } }
              - { name: yes, mail: { subject: x, tasks: [{ list: waiting, answered: true }] }, expect: { rule: answer } }
              - { name: no, mail: { subject: x, tasks: [{ list: waiting }] }, expect: { rule: none } }
            """)
        #expect(set.testCount == 4)
        let failing = set.runTests(context: context()).filter { !$0.passed }
        #expect(failing.map(\.detail) == [])
    }

    @Test("days-since: is the number of days since the sender's previous mail")
    func silence() throws {
        let facts = mail()
        let before = { (days: Int64) in
            context {
                $0.senderTimes = ["ana@sales.acme.example": [facts.received - days * 86_400, facts.received]]
            }
        }
        #expect(try holds("days-since>=90", facts, before(90)))
        #expect(try !holds("days-since>=90", facts, before(89)))
        let first = context { $0.senderTimes = ["ana@sales.acme.example": [facts.received]] }
        #expect(try !holds("days-since>=0", facts, first))
        #expect(try !holds("days-since<9", facts, first))
    }

    @Test("days-since: counts days of the calendar across a change of the clocks")
    func silenceAcrossAChangeOfTheClocks() throws {
        // Two mails at 8:00 in Paris: 87 days apart by the calendar, and an hour less by the clock.
        let (winter, summer) = (
            Timestamp(rfc3339: "2026-01-05T07:00:00Z"), Timestamp(rfc3339: "2026-04-02T06:00:00Z")
        )
        let (before, now) = (try #require(winter), try #require(summer))
        let facts = mail { $0.received = now }
        let surroundings = context { $0.senderTimes = ["ana@sales.acme.example": [before, now]] }
        #expect(try holds("days-since>=87", facts, surroundings))
        #expect(try !holds("days-since>=88", facts, surroundings))
    }

    @Test("a rule test can set the start of an event and the sender's previous mail")
    func ruleTests() throws {
        let set = try rules(
            """
            rules:
              - { id: old, when: 'event:past', then: archive }
              - { id: back, when: 'days-since>=30', then: flag }
            tests:
              - name: over
                at: 2026-03-10 08:30
                mail: { from: a@x.example, subject: s, event: 2026-03-09 14:00 }
                expect: { rule: old }
              - name: back
                at: 2026-03-10 08:30
                mail: { from: a@x.example, subject: s, event: 2026-03-11, sender-last: 2026-01-01 }
                expect: { rule: back }
            """)
        #expect(set.testCount == 2)
        let failing = set.runTests(context: context()).filter { !$0.passed }
        #expect(failing.map(\.detail) == [])
    }
}
