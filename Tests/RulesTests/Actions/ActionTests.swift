import Models
import Testing

@testable import Rules

@Suite struct ActionTests {
    @Test(
        "actions that need no data of the message are made",
        arguments: [
            ("keep", Action.keep), ("archive", .archive), ("trash", .trash), ("junk", .junk), ("flag", .flag),
            ("unflag", .unflag), ("[archive]", .archive), ("[ { archive: } ]", .archive),
            ("{ mark: read }", .mark(read: true)), ("{ mark: unread }", .mark(read: false)),
            ("{ label: Reading }", .label(Keyword("reading"))),
            ("{ unlabel: new }", .unlabel(Keyword("new"))),
            (
                "{ move: projects/acme }",
                .move(
                    to: Mailbox(
                        account: AccountID("work"), name: MailboxName("Projects/Acme"),
                        displayName: "Projects/Acme"))
            ),
            ("{ defer: monday }", .deferUntil(Timestamp(seconds: 1_773_644_400))),
            ("{ defer: { until: 2026-03-16 17:00 } }", .deferUntil(Timestamp(seconds: 1_773_676_800))),
            ("{ task: Pay it }", .task(TodoDraft(summary: "Pay it"))),
            (
                "{ delegate: bob@acme.example }",
                .delegate(Delegation(to: EmailAddress(localPart: "bob", domain: "acme.example")))
            ),
        ])
    func single(_ then: String, _ action: Action) throws {
        #expect(try actions(then).actions == [action])
    }

    @Test("a task takes its fields from the rule and the mail")
    func task() throws {
        let then = """
            { task: { title: 'Pay {{number}} ({{from.name}})', list: next, context: ['@finance', '@home'],
              due: '{{date-in-body}}', due-else: +14 days, start: tomorrow, priority: high,
              notes: 'for {{to.address}} of {{date}}', remind: 3 days before } }
            """
        let when = "{ subject: { matches: '(?P<number>INV-\\d+)' } }"
        let evaluation = try actions(then, when: when)
        let task = try #require(evaluation.task)
        #expect(task.summary == "Pay INV-2041 (Ana Ruiz)")
        #expect(task.contexts == ["@finance", "@home"])
        #expect(task.due == CalendarDate("2026-03-31").map { .date($0) })
        #expect(task.start == CalendarDate("2026-03-14").map { .date($0) })
        #expect(task.priority == 1)
        #expect(task.notes == "for me@home.example of 2026-03-10")
        #expect(task.alarmSecondsBefore == 3 * 86_400)
        #expect(evaluation.warnings.isEmpty)
    }

    @Test("without a date in the text, the rule's other date is used, with a warning")
    func dueElse() throws {
        let facts = mail { $0.text = "no date here" }
        let fallback = try actions(
            "{ task: { title: x, due: '{{date-in-body}}', due-else: +14 days } }", facts)
        #expect(fallback.task?.due == CalendarDate("2026-03-27").map { .date($0) })
        #expect(
            fallback.warnings == [
                "rule r found no due date in the message; uses +14 days (2026-03-27)   rules/a.yaml:3"
            ])
        let none = try actions("{ task: { title: x, due: '{{date-in-body}}' } }", facts)
        #expect(none.task?.due == nil)
        #expect(none.warnings.count == 1)
    }

    @Test("a start after the due date is left out, with a warning")
    func lateStart() throws {
        let late = try actions("{ task: { title: x, due: 2026-03-20, start: 2026-03-21 } }")
        #expect(late.task?.start == nil)
        #expect(late.task?.due == CalendarDate("2026-03-20").map { .date($0) })
        #expect(
            late.warnings == [
                "rule r sets a start (2026-03-21) after the due date (2026-03-20); the task has no start   rules/a.yaml:3"
            ])
        let same = try actions("{ task: { title: x, due: 2026-03-20 17:00, start: 2026-03-20 } }")
        #expect(same.task?.start == CalendarDate("2026-03-20").map { .date($0) })
        #expect(same.warnings.isEmpty)
    }

    @Test("a time gives an instant and a day a date, and relative words count from the mail's own date")
    func dueKinds() throws {
        #expect(
            try actions("{ task: { title: x, due: tomorrow 17:00 } }").task?.due
                == .instant(Timestamp(seconds: 1_773_504_000)))
        // The mail is of Tuesday the 10th, the run of Friday the 13th.
        let facts = mail { $0.subject = "wanted friday" }
        let task = try actions(
            "{ task: { title: x, due: '{{when}}' } }", when: "{ subject: { matches: '(?P<when>fri\\w+)' } }",
            facts
        ).task
        #expect(task?.due == CalendarDate("2026-03-13").map { .date($0) })
    }

    @Test("foreign text in a template is not expanded, has no control characters, and is one line")
    func templates() throws {
        let facts = mail {
            $0.subject =
                "a {{from.address}}\r\nBcc: x@y.z\u{1B}[31m\u{202E}b" + String(repeating: "c", count: 2_000)
        }
        let title = try #require(try actions("{ task: '{{ subject }}' }", facts).task?.summary)
        #expect(title.hasPrefix("a {{from.address}} Bcc: x@y.z[31mbccc"))
        #expect(title.unicodeScalars.allSatisfy { $0.value >= 0x20 })
        #expect(title.count <= Template.maximumValue)
        #expect(
            try actions("{ task: '{{subject}}' }", mail { $0.subject = " \u{7} " }).task?.summary
                == "(no subject)")
    }

    @Test("a rule whose action cannot be made keeps the message and gives the reason")
    func failures() throws {
        let missing = try actions("[ { move: Nowhere } ]")
        #expect(missing.disposition == .keep)
        #expect(missing.warnings.first?.contains("does not exist") ?? false)
        let past = try actions("{ defer: yesterday }")
        #expect(past.disposition == .keep)
        let label = try actions("[ { label: '{{subject}}' }, archive ]")
        #expect(label.actions == [.keep])
        let date = try actions("{ defer: '{{subject}}' }")
        #expect(date.actions == [.keep])
        let me = try actions("[ { delegate: ME@home.example }, archive ]")
        #expect(me.actions == [.keep])
        #expect(me.warnings.first?.contains("which is you") ?? false)
        let own = try actions(
            "[ { delegate: Bob@Acme.example }, label: x, archive ]",
            mail {
                $0.from = [EmailAddress(displayName: "B", localPart: "bob", domain: "acme.example")]
                $0.headers = [HeaderField(name: "In-Reply-To", body: "<a@home.example>")]
            })
        #expect(own.actions == [.label(Keyword("x")), .keep])
        #expect(own.warnings.first?.contains("who wrote it; the message is kept") ?? false)
    }

    /// Such mail could otherwise stop every run: its answer cannot be written.
    @Test(
        "a sender to whom no mail can be sent gets no answer, and the message stays",
        arguments: [
            EmailAddress(displayName: "N", localPart: "", domain: ""),
            EmailAddress(localPart: "", domain: "z.example"),
            EmailAddress(localPart: "root", domain: ""),
            EmailAddress(localPart: "jösé", domain: "z.example"),
            EmailAddress(localPart: "a", domain: "-x..example"),
        ])
    func unreachable(_ sender: EmailAddress) throws {
        let message = mail {
            $0.from = [sender]
            $0.replyTo = []
        }
        let reply = try actions("[ { reply: Thanks }, archive ]", message)
        #expect(reply.actions == [.keep])
        #expect(reply.warnings.first?.contains("answer") ?? false)
        #expect(try actions("{ vacation: Away }", message).actions.isEmpty)
        // A person without an address cannot be waited for.
        #expect(try actions("{ waiting: }", message).actions.contains(.keep) != sender.hasLocalPart)
    }

    @Test("an empty Reply-To does not count; the answer goes to From")
    func emptyReplyTo() throws {
        let message = mail {
            $0.from = [EmailAddress(localPart: "zed", domain: "z.example")]
            $0.replyTo = [EmailAddress(displayName: "Zed", localPart: "", domain: "")]
        }
        let made = try actions("{ reply: Thanks }", message)
        guard case .make(.letter(let letter)) = made.actions.first else {
            Issue.record("no reply: \(made)")
            return
        }
        #expect(letter.to.map(\.addrSpec) == ["zed@z.example"])
    }

    @Test("delegation makes a draft unless rule and workspace both allow sending")
    func sending() throws {
        let then =
            "{ delegate: { to: bob@acme.example, note: 'Re {{subject}}', follow-up: +3 business days, send: now } }"
        let draft = try actions(then)
        #expect(draft.delegation?.sending == .draft)
        #expect(draft.warnings.first?.contains("allow-send") ?? false)
        let sent = try actions(then, mail(), context { $0.allowSend = true })
        #expect(sent.delegation?.sending == .now)
        #expect(sent.delegation?.note == "Re Invoice INV-2041: the Q3 plan")
        #expect(sent.delegation?.followUp == CalendarDate("2026-03-18").map { .date($0) })
        #expect(sent.warnings.isEmpty)
    }

    @Test(
        "automatic mail is never forwarded by opus itself",
        arguments: [
            ("List-Id", "<a.b>", "ana"), ("Auto-Submitted", "auto-generated", "ana"),
            ("Return-Path", "<>", "ana"),
            ("Precedence", "junk", "ana"), ("X-None", "x", "no-reply"), ("X-None", "x", "DoNotReply+1"),
            ("X-None", "x", "mailer-daemon"),
        ])
    func machines(_ field: String, _ body: String, _ sender: String) throws {
        let facts = mail {
            $0.headers.append(HeaderField(name: field, body: body))
            $0.from = [EmailAddress(localPart: sender, domain: "x.org")]
        }
        let then = "{ delegate: { to: bob@acme.example, send: now } }"
        let evaluation = try actions(then, facts, context { $0.allowSend = true })
        #expect(evaluation.delegation?.sending == .draft)
        #expect(evaluation.warnings.count == 1)
    }

    @Test("the example of every action compiles")
    func table() throws {
        for entry in RulesLanguage.actions {
            let text =
                "rules:\n  - id: r\n    when: '*'\n    then: { \(entry.example.contains(":") ? entry.example : entry.example + ":") }\n"
            let errors = compile(text).diagnostics.filter { $0.severity == .error }
            #expect(errors.map(\.code) == [], "\(entry.name)")
        }
    }
}

/// Vacation answers: to whom, and how often. RFC 5230.
@Suite struct VacationTests {
    private func reply(
        _ rule: String = "{ text: 'Away, {{from.name}}.', send: now }",
        _ message: (inout MessageFacts) -> Void = { _ in },
        context change: (inout RuleContext) -> Void = { _ in }
    ) throws -> AutoReply? {
        let set = try rules("rules:\n  - id: away\n    when: in:inbox\n    then: [{ vacation: \(rule) }]\n")
        let frozen = context { context in
            context.allowSend = true
            context.now = mail().received
            change(&context)
        }
        let actions = set.evaluate(mail(message), in: frozen).decisions.map(\.action)
        return actions.compactMap { if case .make(.vacation(let reply)) = $0 { reply } else { nil } }.first
    }

    @Test func `the vacation answer goes to the sender, with the subject of the mail`() throws {
        let reply = try #require(try reply())
        #expect(reply.to.addrSpec == "Ana@sales.acme.example")
        #expect(reply.subject == "Auto: Invoice INV-2041: the Q3  plan")
        #expect(reply.text == "Away, Ana Ruiz.")
        #expect(reply.days == 7)
        #expect(reply.sending == .now)
    }

    @Test func `the answer goes to the envelope sender`() throws {
        let reply = try reply {
            $0.headers.append(HeaderField(name: "Return-Path", body: "<real@x.example>"))
        }
        #expect(reply?.to.addrSpec == "real@x.example")
    }

    @Test func `old mail gets no answer: by its arrival, and by its date`() throws {
        let day: Int64 = 86_400
        #expect(try reply(context: { $0.now = mail().date + 14 * day }) != nil)
        #expect(try reply(context: { $0.now = mail().date + 14 * day + 1 }) == nil)
        #expect(
            try reply(
                "{ text: x }", { $0.received = $0.date - day },
                context: { $0.now = mail().date + 13 * day + 1 }) == nil)
        let week = "{ text: x, max-age: 1 week }"
        #expect(try reply(week, context: { $0.now = mail().date + 7 * day }) != nil)
        #expect(try reply(week, context: { $0.now = mail().date + 7 * day + 1 }) == nil)
        // `rules diff` judges old mail as it arrived.
        #expect(
            try reply(context: {
                $0.now = mail().date + 300 * day
                $0.senderArrivals = [:]
            }) != nil)
    }

    @Test
    func `mail that arrived more than a day before the rule was in force gets no answer, whatever its date`()
        throws
    {
        let arrival = mail().received
        let day: Int64 = 86_400
        #expect(try reply(context: { $0.answerStarts = ["away": arrival + day] }) != nil)
        #expect(try reply(context: { $0.answerStarts = ["away": arrival + day + 1] }) == nil)
        #expect(
            try reply(
                "{ text: x }", { $0.sent = $0.received - 60 },
                context: { $0.answerStarts = ["away": arrival] }) != nil)
        // The rule comes into force now.
        #expect(try reply(context: { $0.answerStarts = ["other": arrival - day] }) != nil)
        #expect(
            try reply(context: {
                $0.answerStarts = [:]
                $0.now = arrival + day + 1
            }) == nil)
    }

    @Test func `a rule answers for the account as long as it is enabled and not expired`() throws {
        let set = try rules(
            """
            rules:
              - { id: away, when: '*', then: { vacation: Away } }
              - { id: off, enabled: false, when: '*', then: { vacation: Away } }
              - { id: home, accounts: [home], when: '*', then: [flag, { vacation: Away }] }
              - { id: march, expire: 2026-03-10, when: '*', then: { vacation: Away } }
              - { id: other, when: '*', then: flag }

            """)
        // 23:59:59 and midnight in Paris.
        let (before, after) = (Timestamp(seconds: 1_773_183_599), Timestamp(seconds: 1_773_183_600))
        let work = AccountID("work")
        #expect(set.answeringRules(of: work, at: before, timeZone: "Europe/Paris") == ["away", "march"])
        #expect(set.answeringRules(of: work, at: after, timeZone: "Europe/Paris") == ["away"])
        #expect(
            set.answeringRules(of: AccountID("home"), at: after, timeZone: "Europe/Paris") == [
                "away", "home",
            ])
    }

    @Test func `a sender who got an answer within the days gets no other`() throws {
        let key = "ana@sales.acme.example"
        #expect(try reply(context: { $0.autoReplies[key] = $0.now - 7 * 86_400 + 1 }) == nil)
        #expect(try reply(context: { $0.autoReplies[key] = $0.now - 7 * 86_400 }) != nil)
        #expect(try reply("{ text: x, days: 1 }", context: { $0.autoReplies[key] = $0.now - 86_400 }) != nil)
    }

    @Test func `the rule is remembered for mail that gets no answer because its sender got one`() throws {
        let set = try rules("rules:\n  - id: away\n    when: in:inbox\n    then: [{ vacation: Away }]\n")
        let frozen = context { context in
            context.now = mail().received
            context.autoReplies["ana@sales.acme.example"] = context.now - 60
        }
        let evaluation = set.evaluate(mail(), in: frozen)
        #expect(evaluation.decisions.isEmpty)
        #expect(evaluation.shadowed.map(\.action.name) == [.vacation])
    }

    @Test func `mail that is not addressed to the user is not answered`() throws {
        #expect(try reply { $0.to = $0.cc } == nil)
    }

    @Test func `mail of programs and lists is not answered`() throws {
        #expect(
            try reply { $0.headers.append(HeaderField(name: "Auto-Submitted", body: "auto-replied")) } == nil)
        #expect(try reply { $0.headers.append(HeaderField(name: "List-Id", body: "<l>")) } == nil)
    }

    @Test func `without permission of the workspace, the answer is a draft`() throws {
        #expect(try reply(context: { $0.allowSend = false })?.sending == .draft)
        #expect(try reply("Away.")?.sending == .draft)
    }
}
