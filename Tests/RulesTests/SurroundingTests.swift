import Foundation
import Models
import TestSupport
import Testing

@testable import Rules

/// Conditions that look beyond the message: at its conversation, its tasks, its writer, its servers.
@Suite struct SurroundingTests {
    /// Ana wrote first, we answered, Ana wrote again; two tasks are open, one of them waits for ten days.
    private static func world() -> (facts: MessageFacts, context: RuleContext) {
        let me = EmailAddress(localPart: "me", domain: "home.example")
        let facts = mail {
            $0.text = ($0.text ?? "") + "Total: 120.00 EUR\n"
            $0.event = EventFacts(
                start: .instant(Timestamp(seconds: 1_773_406_800)),
                over: .instant(Timestamp(seconds: 1_773_410_400)))
            $0.headers += [
                HeaderField(name: "Delivered-To", body: "<Shop@me.example>"),
                HeaderField(name: "Return-Path", body: "<bounce-7@mail.acme.example>"),
                HeaderField(name: "Content-Type", body: "multipart/signed; micalg=pgp-sha512"),
            ]
            $0.headers.insert(
                HeaderField(
                    name: "Authentication-Results",
                    body:
                        "mx.home.example (a; dmarc=fail); dkim=fail; dkim = pass header.d=acme.example; spf=softfail"
                ), at: 0)
            $0.signature = SignatureVerdict(.valid)
            $0.openTodos = [TodoID("a"), TodoID("b")]
        }
        let first = mail {
            $0.id = EmailID(rawValue: "m0")
            $0.sent = facts.date - 7_200
            $0.subject = "The first word"
        }
        let ours = mail {
            $0.id = EmailID(rawValue: "m2")
            $0.sent = facts.date - 3_600
            $0.from = [me]
        }
        let draft = mail {
            $0.id = EmailID(rawValue: "m3")
            $0.sent = facts.date + 3_600
            $0.from = [me]
            $0.flags = [.draft]
        }
        let surroundings = context {
            $0.threads = [facts.thread: [facts, ours, draft, first]]
            var next = Todo(id: TodoID("a"), list: .next, summary: "Pay")
            next.due = CalendarDate(year: 2026, month: 3, day: 12).map { .date($0) }
            var waiting = Todo(id: TodoID("b"), list: .waiting, summary: "Wait")
            waiting.created = $0.now - 10 * 86_400
            $0.todos = [next.id: next, waiting.id: waiting]
            $0.answered = [waiting.id]
            $0.returned = [facts.id]
            $0.senderCounts = ["ana@sales.acme.example": 3]
            $0.earlierCopies = [facts.id: facts.received - 60]
            $0.senderTimes = ["ana@sales.acme.example": [facts.received - 90 * 86_400, facts.received]]
            $0.authenticationServers = ["mx.home.example"]
        }
        return (facts, surroundings)
    }

    private func check(
        _ spelling: Spelling, _ facts: MessageFacts, _ surroundings: RuleContext, _ wanted: Truth? = nil
    ) throws {
        let set = try rules("rules:\n  - id: r\n    when: { \(spelling.mapping) }\n    then: flag\n")
        let view = FactsView(facts, context: surroundings, tables: set.tables)
        #expect(view.judge(set.compiled[0].when) == wanted ?? Truth(spelling.holds), "mapping")
        let condition = try query(spelling.query).condition
        let other = FactsView(facts, context: surroundings, tables: RuleTables())
        #expect(other.judge(condition) == wanted ?? Truth(spelling.holds), "query")
    }

    @Test(
        "conditions on envelope, conversation, tasks, trust, sender and time hold for Ana's mail",
        arguments: [
            Spelling("delivered-to:shop@me.example", "delivered-to: shop@me.example", true),
            Spelling("delivered-to:me", "delivered-to: me", false),
            Spelling("return-path:@acme.example", "return-path: '@acme.example'", true),
            Spelling("return-path:ana", "return-path: ana", false),
            Spelling("is:receipt", "is: receipt", false),
            Spelling("is:signed", "is: signed", true),
            Spelling("is:encrypted", "is: encrypted", false),
            Spelling("is:duplicate", "is: duplicate", true),
            Spelling("thread:has(is:duplicate)", "thread:has: { is: duplicate }", true),
            Spelling("thread:size>2", "thread:size: '>2'", true),
            Spelling("thread:size=3", "thread:size: 3", true),
            Spelling("thread:size>3", "thread:size: '>3'", false),
            Spelling("thread:unanswered", "thread: unanswered", true),
            Spelling("thread:i-replied", "thread: i-replied", true),
            Spelling("thread:waiting-for", "thread: waiting-for", false),
            Spelling(
                "thread:has(subject:\"first word\" from:ana)",
                "thread:has: { subject: first word, from: ana }", true),
            Spelling("thread:has(from:me)", "thread:has: 'from:me'", true),
            Spelling("thread:has(from:bob or from:eve)", "thread:has: { from: [bob, eve] }", false),
            Spelling("-thread:has(is:draft)", "not: { thread:has: { is: draft } }", true),
            Spelling("task:list:next", "task:list: next", true),
            Spelling("task:list:some*", "task:list: 'some*'", false),
            Spelling("task:waiting", "task: waiting", true),
            Spelling("task:overdue", "task: overdue", true),
            Spelling("task:answered", "task: answered", true),
            Spelling("is:back", "is: back", true),
            Spelling("is:snoozed", "is: snoozed", false),
            Spelling("task:waited>7d", "task:waited: '>7d'", true),
            Spelling("task:waited:10d", "task:waited: 10 days", true),
            Spelling("task:waited>2w", "task:waited: '>2 weeks'", false),
            Spelling("auth:dkim=pass", "auth:dkim: pass", true),
            Spelling("signed:valid", "signed: valid", true),
            Spelling("signed:broken", "signed: broken", false),
            Spelling("auth:dkim:fail", "auth:dkim: fail", true),
            Spelling("auth:spf=pass", "auth:spf: pass", false),
            Spelling("auth:dmarc=fail", "auth:dmarc: fail", false),
            Spelling("sender:first-seen", "sender: first-seen", false),
            Spelling("sender:count>=3", "sender:count: '>=3'", true),
            Spelling("sender:count<3", "sender:count: '<3'", false),
            Spelling("days-since>=90", "days-since: '>=90'", true),
            Spelling("days-since<90", "days-since: '<90'", false),
            Spelling("event>=2026-03-12", "event: '>=2026-03-12'", true),
            Spelling("event:past", "event: past", false),
            Spelling("amount>=100EUR", "amount: '>=100EUR'", true),
            Spelling("amount<100EUR", "amount: '<100EUR'", false),
            Spelling("time:08:00-08:01", "time: 08:00-08:01", true),
            Spelling("time:22:00-06:00", "time: 22:00-06:00", false),
            Spelling("time<9am", "time: '<9am'", true),
            Spelling("time>=noon", "time: '>=noon'", false),
        ])
    func surroundings(_ spelling: Spelling) throws {
        let (facts, context) = Self.world()
        try check(spelling, facts, context)
    }

    @Test(
        "conditions that are false for Ana's mail are true for an answered list mail, and the reverse",
        arguments: [
            Spelling("bcc:b@x.org", "bcc: b@x.org", true),
            Spelling("reply-to:@x.org", "reply-to: '@x.org'", true),
            Spelling("text:invoice", "text: invoice", false),
            Spelling("list-id:swift.lists.example", "list-id: swift.lists.example", true),
            Spelling("list:swift", "list: swift", true),
            Spelling("list-unsubscribe:*", "list-unsubscribe: '*'", true),
            Spelling("precedence:=bulk", "precedence: { equals: bulk }", true),
            Spelling("auto-submitted:auto-replied", "auto-submitted: auto-replied", true),
            Spelling("is:bulk", "is: bulk", true),
            Spelling("is:invite", "is: invite", true), Spelling("has:invite", "has: invite", true),
            Spelling("is:receipt", "is: receipt", true), Spelling("is:signed", "is: signed", false),
            // A receipt, though a program sent it.
            Spelling("is:auto-reply", "is: auto-reply", false),
            Spelling("has:pdf", "has: pdf", false),
            Spelling("attachment:name:*.pdf", "attachment:name: '*.pdf'", false),
            Spelling("is:unread", "is: unread", false), Spelling("is:flagged", "is: flagged", true),
            Spelling("is:answered", "is: answered", true), Spelling("is:draft", "is: draft", true),
            Spelling("is:duplicate", "is: duplicate", false),
            Spelling("keyword:project-x", "keyword: project-x", false),
            Spelling("thread:waiting-for", "thread: waiting-for", true),
            Spelling("has:open-task", "has: open-task", true),
            Spelling("task:waiting", "task: waiting", false),
            Spelling("task:overdue", "task: overdue", false),
            Spelling("task:answered", "task: answered", false),
            Spelling("is:back", "is: back", false),
            Spelling("is:snoozed", "is: snoozed", true),
            Spelling("auth:dmarc=pass", "auth:dmarc: pass", true),
            Spelling("auth:dkim=pass", "auth:dkim: pass", false),
            Spelling("auth:spf=fail", "auth:spf: fail", true),
            Spelling("signed:valid", "signed: valid", false),
            Spelling("signed:broken", "signed: broken", true),
            Spelling("sender:first-seen", "sender: first-seen", true),
            Spelling("sent<2026-03-01", "sent: '<2026-03-01'", false),
            Spelling("received:2026-03-10", "received: 2026-03-10", true),
        ])
    func otherMail(_ spelling: Spelling) throws {
        let facts = mail {
            $0.mailbox.role = .deferred
            $0.flags = [.seen, .flagged, .answered, .draft]
            $0.signature = SignatureVerdict(.broken)
            $0.subject = "Swift digest"
            $0.text = "Nothing new."
            $0.keywords = []
            $0.from = [EmailAddress(localPart: "robot", domain: "lists.example")]
            $0.bcc = [EmailAddress(localPart: "b", domain: "x.org")]
            $0.replyTo = [EmailAddress(localPart: "r", domain: "x.org")]
            $0.headers = [
                ("Authentication-Results", "mx.home.example; dmarc=pass; spf=fail"),
                ("List-Id", "Swift <swift.lists.example>"), ("List-Unsubscribe", "<https://lists.example/u>"),
                ("Precedence", "Bulk"), ("Auto-Submitted", "auto-replied"), ("Return-Path", "<>"),
                ("Content-Type", "multipart/report; report-type=disposition-notification"),
            ].map { HeaderField(name: $0, body: $1) }
            $0.attachments = [
                Attachment(name: "a.ics", contentType: "text/calendar", size: 1, section: "2")
            ]
            $0.openTodos = [TodoID("a")]
        }
        let ours = mail {
            $0.id = EmailID(rawValue: "m2")
            $0.sent = facts.date + 3_600
            $0.from = [EmailAddress(localPart: "me", domain: "home.example")]
        }
        let surroundings = context {
            $0.threads = [facts.thread: [facts, ours]]
            $0.todos = [TodoID("a"): Todo(id: TodoID("a"), list: .next, summary: "Read")]
            $0.answered = []
            $0.returned = []
            $0.senderCounts = ["robot@lists.example": 1]
            $0.earlierCopies = [ours.id: ours.received]
            $0.authenticationServers = ["mx.home.example"]
        }
        try check(spelling, facts, surroundings)
    }

    @Test(
        "conditions are judged for a mail without files that begins its conversation",
        arguments: [
            Spelling("has:attachment", "has: attachment", false),
            Spelling("is:encrypted", "is: encrypted", true),
            Spelling("is:bounce", "is: bounce", false), Spelling("is:auto-reply", "is: auto-reply", true),
            Spelling("thread:i-replied", "thread: i-replied", false),
        ])
    func bareMail(_ spelling: Spelling) throws {
        let facts = mail {
            $0.attachments = []
            $0.headers = [
                HeaderField(
                    name: "Content-Type", body: "multipart/encrypted; protocol=\"application/pgp-encrypted\""),
                HeaderField(name: "Return-Path", body: "<>"),
            ]
        }
        try check(spelling, facts, context { $0.threads = [facts.thread: [facts]] })
    }

    @Test("a returned mail is a bounce", arguments: [Spelling("is:bounce", "is: bounce", true)])
    func returnedMail(_ spelling: Spelling) throws {
        let facts = mail {
            $0.subject = "Undelivered Mail Returned to Sender"
            $0.headers.append(HeaderField(name: "Return-Path", body: "<>"))
        }
        try check(spelling, facts, context())
    }

    @Test(
        "the text of files counts as far as it was read",
        arguments: [
            Spelling("attachment:text:jars", "attachment:text: jars", true),
            Spelling("attachment:text:lids", "'attachment:text': lids", false),
        ])
    func fileText(_ spelling: Spelling) throws {
        try check(spelling, mail(), context { $0.fileText = { _ in "The plain of jars" } })
    }

    @Test(
        "facts that were not loaded are unknown, and the message is kept",
        arguments: [
            Spelling("thread:size>2", "thread:size: '>2'", false),
            Spelling("thread:unanswered", "thread: unanswered", false),
            Spelling("thread:has(is:read)", "thread:has: { is: read }", false),
            Spelling("sender:first-seen", "sender: first-seen", false),
        ])
    func unknown(_ spelling: Spelling) throws { try check(spelling, mail(), context(), .unknown) }

    @Test(
        "every condition in the table is true in one test and false in another, in both spellings"
    )
    func complete() throws {
        let text = try ["Query/ConditionTests.swift", "SurroundingTests.swift"].map {
            try String(
                contentsOf: Repository.root.appending(path: "Tests/RulesTests/" + $0), encoding: .utf8)
        }.joined()
        let pattern = try Regex(#"Spelling\(\s*"-?((?:[^"\\]|\\.)*)",\s*"(?:[^"\\]|\\.)*",\s*(true|false)\)"#)
        let tests = text.matches(of: pattern).map {
            ($0.output[1].substring ?? "", $0.output[2].substring == "true")
        }
        #expect(tests.count > 150)
        for entry in RulesLanguage.conditions {
            let name = entry.name.replacing("<name>", with: "")
            let answers = tests.filter { query, _ in
                let next = query.dropFirst(name.count).first
                return query.hasPrefix(name)
                    && (name.hasSuffix(":") || next.map { !$0.isLetter && $0 != "-" } ?? true)
            }.map(\.1)
            #expect(Set(answers) == [true, false], "\(name): \(answers)")
        }
    }

    @Test(
        "receipts, signatures and encryption are recognised by their types",
        arguments: [
            ("is:receipt", "multipart/report; report-type=disposition-notification"),
            ("is:signed", "multipart/signed; protocol=\"application/pkcs7-signature\""),
            ("is:signed", "application/pkcs7-mime; smime-type=signed-data"),
            ("is:encrypted", "multipart/encrypted; protocol=\"application/pgp-encrypted\""),
            ("is:encrypted", "application/pkcs7-mime; smime-type=enveloped-data"),
        ])
    func types(_ text: String, _ type: String) throws {
        let facts = mail { $0.headers.append(HeaderField(name: "Content-Type", body: type)) }
        #expect(try query(text).matches(facts, in: context()))
        #expect(try !query("is:bounce").matches(facts, in: context()))
    }

    @Test(
        "an empty return path alone does not make a bounce",
        arguments: [
            ("Undelivered Mail Returned to Sender", nil, true),
            ("Mail delivery failed", "auto-replied", true),
            ("Automatic reply: the offer", "auto-replied", false), ("Your statement", nil, false),
        ])
    func emptyReturnPath(_ subject: String, _ submitted: String?, _ holds: Bool) throws {
        let facts = mail {
            $0.subject = subject
            $0.headers.append(HeaderField(name: "Return-Path", body: "<>"))
            if let submitted { $0.headers.append(HeaderField(name: "Auto-Submitted", body: submitted)) }
        }
        #expect(try query("is:bounce").matches(facts, in: context()) == holds)
    }

    @Test(
        "is:auto-reply tests the header first, then the text",
        arguments: [
            ("Auto-Submitted", "auto-replied", "Fine.", true), ("X-Autoreply", "yes", "Fine.", true),
            ("Auto-Submitted", "no", "I am away until 14 March.", false),
            ("X-RT-Ticket", "lib #7", "We have received your request.", true),
            ("X-RT-Ticket", "lib #7", "The book is here.", false),
        ])
    func autoReply(_ name: String, _ body: String, _ text: String, _ holds: Bool) throws {
        let facts = mail {
            $0.headers.append(HeaderField(name: name, body: body))
            $0.text = text
        }
        #expect(try query("is:auto-reply").matches(facts, in: context()) == holds)
    }

    @Test(
        "auth: trusts only results of the named server above the next Received field",
        arguments: [
            (["mx.home.example; dmarc=pass"], true),
            (["MX.home.example 1; dmarc = Pass (p=none)"], true),
            (["mx.evil.example; dmarc=pass"], false),
            (["mx.home.example.evil.example; dmarc=pass"], false),
            (["mx.home.example; dmarc=fail", "mx.home.example; dmarc=pass"], false),
            (["mx.home.example; dkim=pass", "mx.home.example; dmarc=pass"], true),
            (["mx.home.example; spf=pass reason=\"; dmarc=pass\""], false),
            (["mx.home.example; spf=pass (; dmarc=pass)"], false),
            (["mx.home.example; spf=pass", "Received", "mx.home.example; dmarc=pass"], false),
            (["mx.home.example; none"], false),
        ])
    func trust(_ fields: [String], _ holds: Bool) throws {
        let facts = mail {
            $0.headers = fields.map {
                $0 == "Received"
                    ? HeaderField(name: $0, body: "from elsewhere")
                    : HeaderField(name: "Authentication-results", body: $0)
            }
        }
        let trusting = context { $0.authenticationServers = ["mx.home.example"] }
        #expect(try query("auth:dmarc=pass").matches(facts, in: trusting) == holds)
        #expect(try !query("auth:dmarc=pass").matches(facts, in: context()), "nobody is trusted unasked")
    }

    @Test(
        "a signature is judged as it was when the message arrived",
        arguments: [
            (nil, false, false, "no signature of the whole message was checked"),
            (
                SignatureVerdict(.valid, signer: "ana@example.org", issuer: "An Authority"), true, false,
                "by ana@example.org, certificate from An Authority, valid"
            ),
            (SignatureVerdict(.broken), false, true, "BROKEN: the text was changed after it was signed"),
            (
                SignatureVerdict(.untrusted, reason: "no issuer"), false, false,
                "not verified (the certificate is not trusted: no issuer)"
            ),
            (
                SignatureVerdict(.otherAddress, reason: "it is of bob@x.org"), false, false,
                "not verified (the certificate is not the sender's: it is of bob@x.org)"
            ),
            (
                SignatureVerdict(.unchecked), false, false, "not checked (the message is too large)"
            ),
        ])
    func signatures(_ verdict: SignatureVerdict?, _ isValid: Bool, _ isBroken: Bool, _ seen: String) throws {
        // The claim of a message that it is signed proves nothing.
        let facts = mail {
            $0.signature = verdict
            $0.headers.append(HeaderField(name: "Content-Type", body: "multipart/signed"))
        }
        let rules = try rules(
            """
            rules:
              - { id: a, when: { signed: valid }, then: flag }
              - { id: b, when: 'signed:broken', then: flag }
            """)
        #expect(try query("signed:valid").matches(facts, in: context()) == isValid)
        let tests = rules.explain(facts, in: context()).map { $0.conditions[0] }
        #expect(tests.map(\.matched) == [isValid, isBroken])
        #expect(tests.map(\.sawValue) == [seen, seen])
        #expect(try query("signed:valid signed:broken").needs == [])
    }

    @Test("the needed lookups are known beforehand, also through names and inside thread:has")
    func needs() throws {
        #expect(try query("thread:has(body:x)").needs == [.thread, .text, .threadText])
        #expect(try query("task:overdue").needs == .tasks)
        #expect(try query("sender:first-seen").needs == .senders)
        #expect(try query("is:duplicate").needs == .copies)
        #expect(try query("thread:has(is:duplicate)").needs == [.thread, .copies])
        #expect(try query("auth:dkim=pass return-path:x").needs == .headers)
        let set = try rules(
            "define: { quiet: 'thread:unanswered' }\nrules:\n  - { id: r, when: 'is:quiet', then: flag }")
        #expect(set.needs == .thread)
    }

    @Test("a rule test can set the surroundings of its mail")
    func ruleTest() throws {
        let set = try rules(
            """
            rules:
              - { id: again, when: 'thread:i-replied sender:count>5 task:overdue auth:dmarc=pass', then: flag }
            tests:
              - name: all of it
                at: 2026-03-10 09:00
                mail:
                  from: ana@x.org
                  thread: [{ from: ana@x.org }, { from: me@home.example }]
                  sender-count: 6
                  tasks: [{ list: next, due: 2026-03-09 }]
                  auth: { dmarc: pass }
                expect: { rule: again }
              - { name: none of it, mail: { from: ana@x.org }, expect: { rule: none } }
            """)
        for result in set.runTests(context: context()) { #expect(result.passed, "\(result.detail)") }
    }

    @Test(
        "explain covers second copies, first copies, missing Message-IDs and unknown copies",
        arguments: [
            (["m1": Timestamp(seconds: 1_773_126_000)], "a copy came 2026-03-10 08:00", true),
            ([:], "no earlier copy", false), (nil, "opus did not look for copies", nil),
        ] as [([String: Timestamp]?, String, Bool?)])
    func seenOfCopies(_ copies: [String: Timestamp]?, _ seen: String, _ matched: Bool?) throws {
        let set = try rules("rules:\n  - { id: r, when: 'is:duplicate', then: trash }\n")
        let around = context {
            $0.earlierCopies = copies.map { pairs in
                Dictionary(uniqueKeysWithValues: pairs.map { (EmailID(rawValue: $0), $1) })
            }
        }
        let named = mail { $0.messageID = MessageID("a@x") }
        let test = try #require(set.explain(named, in: around).first?.conditions.first)
        #expect(test.sawValue == seen)
        #expect(test.matched == matched)
        #expect(set.evaluate(named, in: around).decisions.isEmpty == (matched != true))
        let nameless = mail { $0.messageID = nil }
        if copies == [:] {
            #expect(set.explain(nameless, in: around).first?.conditions.first?.sawValue == "no Message-ID")
        }
    }

    @Test(
        "a query for second copies is recognised",
        arguments: [
            ("is:duplicate", true), ("from:ana is:duplicate", true), ("(is:duplicate body:x) newer:7d", true),
            ("is:duplicate or from:ana", false), ("-is:duplicate", false),
            ("thread:has(is:duplicate)", false),
            ("from:ana", false),
        ])
    func searchOfCopies(_ text: String, _ isOnly: Bool) throws {
        #expect(try query(text).asksForCopiesOnly == isOnly)
    }

    @Test("a rule test can say that its mail is a second copy")
    func ruleTestOfCopies() throws {
        let set = try rules(
            """
            rules:
              - { id: again, when: 'is:duplicate', then: trash }
              - { id: talk, when: 'thread:has(is:duplicate)', then: flag }
            tests:
              - { name: a, mail: { from: ana@x.org, duplicate: true }, expect: { rule: again } }
              - { name: b, mail: { from: ana@x.org, duplicate: false }, expect: { rule: none } }
              - { name: c, mail: { from: ana@x.org }, expect: { rule: none } }
              - name: d
                mail: { from: ana@x.org, thread: [{ from: ana@x.org }, { from: bob@x.org, duplicate: true }] }
                expect: { rule: talk }
            """)
        for result in set.runTests(context: context()) { #expect(result.passed, "\(result.detail)") }
    }

    @Test(
        "a rule on copies moves only the copy, also through a name",
        arguments: [("dup", true), ("named", true), ("other", false)])
    func copyAlone(_ rule: String, _ isAlone: Bool) throws {
        let set = try rules(
            """
            define: { again: 'is:duplicate' }
            rules:
              - { id: dup, when: 'is:duplicate subject:dup', then: archive }
              - { id: named, when: 'subject:named', unless: '-is:again', then: archive }
              - { id: other, when: 'subject:other', then: archive }
            """)
        let facts = mail { $0.subject = rule }
        let around = context { $0.earlierCopies = [facts.id: facts.received - 60] }
        let evaluation = set.evaluate(facts, in: around)
        #expect(evaluation.decisions.map(\.rule) == [rule])
        #expect(evaluation.isForCopyAlone == isAlone)
    }

    @Test("mail judged as it arrived has the senders and the conversation of that time")
    func onArrival() throws {
        let first = mail { $0.received = Timestamp(seconds: 100) }
        let me = try #require(context().me.first)
        let answer = mail {
            $0.id = EmailID(rawValue: "m2")
            $0.received = Timestamp(seconds: 200)
            $0.from = [me]
        }
        let second = mail {
            $0.id = EmailID(rawValue: "m3")
            $0.received = Timestamp(seconds: 300)
        }
        let set = try rules(
            """
            rules:
              - { id: new, when: 'sender:first-seen', then: { label: new } }
              - { id: talk, when: 'thread:i-replied', then: { label: talk } }
              - { id: long, when: 'thread:size>2', then: { label: long } }
            """)
        let evaluator = set.evaluator(in: context())
        var around = context { $0.threads = [first.thread: [first, answer, second]] }
        around.senderArrivals = [
            try #require(first.from.first).comparable: [Timestamp(seconds: 100), Timestamp(seconds: 300)]
        ]
        evaluator.surround(by: around)
        let matched = { (facts: MessageFacts) -> [String] in
            guard case .decided(let result) = evaluator.answer(facts, having: .content, at: facts.received)
            else { return ["undecided"] }
            return result.decisions.map(\.rule)
        }
        #expect(matched(first) == ["new"])
        #expect(matched(second) == ["talk", "long"])
        #expect(matched(first) == ["new"], "the clock may be turned back")
    }

    @Test(
        "a condition inside thread:has loads the facts that it needs",
        arguments: [
            Asked(query: "thread:i-replied body:x", needs: [.thread, .text], ofConversations: []),
            Asked(query: "thread:has(is:flagged)", needs: [.thread], ofConversations: []),
            Asked(query: "thread:has(body:x)", needs: [.thread, .text, .threadText], ofConversations: .text),
            Asked(
                query: "thread:has(header:x-a:b)", needs: [.thread, .headers, .threadHeaders],
                ofConversations: .headers),
        ])
    func needs(_ asked: Asked) throws {
        let needs = try query(asked.query).needs
        #expect(needs == asked.needs)
        #expect(needs.ofConversations == asked.ofConversations)
    }

    struct Asked: Sendable {
        var query: String
        var needs: FactNeeds
        var ofConversations: FactNeeds
    }
}
