import Models
import Pipeline
import Testing

@testable import opus

/// What a plan is said to do is what it does.
@Suite("Plan on the screen")
struct PlanTotalsTests {
    private static let account = AccountID("work")
    private static let inbox = Mailbox(account: account, name: .inbox, displayName: "INBOX", role: .inbox)

    private func key(_ uid: UInt32) -> MessageKey {
        MessageKey(account: Self.account, mailbox: .inbox, uidValidity: 7, uid: uid)
    }

    private func item(_ name: String, _ actions: Action..., takes: [String] = []) -> Plan.Item {
        var item = Plan.Item(
            message: EmailID(rawValue: name), key: key(1), thread: ThreadID(rawValue: name),
            subject: "About \(name)",
            date: Timestamp(seconds: 1_773_127_800))
        item.from = EmailAddress("ana@acme.example", displayName: "Ana Ruiz")
        item.decisions = actions.map { Plan.Decision(rule: "rule", action: $0) }
        item.threadKeys = takes.map { Plan.ThreadMember(message: EmailID(rawValue: $0), key: key(2)) }
        return item
    }

    private func plan(_ items: Plan.Item...) -> Plan {
        var plan = Plan(
            account: Self.account, now: Timestamp(seconds: 1_773_127_800), timeZone: "Europe/Paris",
            origin: .hand)
        plan.items = items
        return plan
    }

    private func bob(_ sending: Delegation.Sending) -> Action {
        .delegate(Delegation(to: EmailAddress(localPart: "bob", domain: "acme.example"), sending: sending))
    }

    @Test("an empty plan says that there is nothing to do")
    func nothing() {
        let totals = PlanTotals(plan())
        #expect(!totals.hasChanges)
        #expect(totals.sentence == "Plan: nothing to do. Nothing is sent. Nothing is deleted.")
    }

    @Test("a message without a matching rule stays and is not a change")
    func stays() {
        let totals = PlanTotals(plan(item("a"), item("b", .keep)))
        #expect(!totals.hasChanges)
        #expect(totals.sentence == "Plan: 2 stay. Nothing is sent. Nothing is deleted.")
    }

    @Test("everything is counted once, with correct singular and plural")
    func everything() {
        let totals = PlanTotals(
            plan(
                item("a", .task(TodoDraft(summary: "x")), .archive),
                item("b", bob(.draft), .archive),
                item("c", .label(Keyword("x")), .deferUntil(Timestamp(seconds: 1))),
                item("d", .flag, .mark(read: true)), item("e", .trash), item("f", .junk),
                item("g", .move(to: Self.inbox))))
        #expect(
            totals.sentence
                == "Plan: 1 task, 1 waiting-for, 1 draft, 2 archived, 2 moved, 1 deferred, 1 to trash, 3 marks, "
                + "1 stays. Nothing is sent. Nothing is deleted.")
        #expect(totals.hasChanges)
    }

    @Test("mail that will be sent is counted as sent")
    func sends() {
        let totals = PlanTotals(plan(item("a", bob(.now))))
        #expect(totals.sentence == "Plan: 1 waiting-for, 1 mail sent, 1 stays. Nothing is deleted.")
    }

    @Test("messages moved with a newer one are counted with it and do not stay")
    func threads() {
        let totals = PlanTotals(plan(item("new", .archive, takes: ["old"]), item("old")))
        #expect(totals.archived == 2)
        #expect(totals.stays == 0)
    }

    @Test(
        "the symbol is that of the strongest action",
        arguments: [
            ([.archive], "~"), ([.flag, .trash], "-"),
            ([.trash, .label(Keyword("x"))], "-"),
            ([.task(TodoDraft(summary: "x")), .trash], "+"),
        ] as [([Action], String)])
    func symbols(_ actions: [Action], _ symbol: String) {
        #expect(line(actions).hasPrefix(" \(symbol) "))
        #expect(line(actions + [bob(.draft)]).hasPrefix(" > "))
    }

    @Test("messages that stay have no line, except protected ones", arguments: [[], [.keep]] as [[Action]])
    func stayingLines(_ actions: [Action]) {
        #expect(lines(actions) == [])
        #expect(lines(actions, protectedBy: "boss").count == 2)
    }

    private func line(_ actions: [Action]) -> String { lines(actions).first ?? "" }

    private func lines(_ actions: [Action], protectedBy protector: String? = nil) -> [String] {
        var message = item("a")
        message.decisions = actions.map { Plan.Decision(rule: "rule", action: $0) }
        message.protectedBy = protector
        return PlanText(
            plan: plan(message), ids: [:],
            when: When(zone: ZoneClock(zone: "UTC"), now: Timestamp(seconds: 1_773_127_800)),
            style: Style(choice: .never, environment: [:], isTerminal: true), width: 80
        ).lines()
    }

    @Test(
        "long titles of tasks and rules are cut to the width of the terminal",
        arguments: [80, 100, 132])
    func longWords(width: Int) {
        let long = String(repeating: "Überlänge ", count: 30)
        var task = TodoDraft(summary: long, list: GTDList("next"))
        task.contexts = ["@finance"]
        var message = item(
            "a", .task(task), .notify(long), .task(TodoDraft(summary: "Pay", list: GTDList("next"))))
        message.subject = long
        let lines = PlanText(
            plan: plan(message), ids: [:],
            when: When(zone: ZoneClock(zone: "UTC"), now: Timestamp(seconds: 1_773_127_800)),
            style: Style(choice: .never, environment: [:], isTerminal: true), width: width
        ).lines()
        #expect(lines.count == 4)
        for line in lines { #expect(TerminalText.width(line) <= width, Comment(rawValue: line)) }
        #expect(lines[1].hasSuffix("…” next @finance"), Comment(rawValue: lines[1]))
        #expect(TerminalText.width(lines[1]) == width, Comment(rawValue: lines[1]))
        #expect(lines[3].hasSuffix("+ task “Pay” next"))
    }

    @Test("equal warnings of several messages are one line")
    func warningLines() {
        var items = [item("a"), item("b"), item("c")]
        items[0].warnings = ["no date"]
        items[1].warnings = ["no recipient", "no date"]
        var whole = plan(items[0], items[1], items[2])
        whole.warnings = ["too many moves"]
        #expect(PlanWarnings.lines(of: whole) == ["no date (2 messages)", "no recipient", "too many moves"])
    }

    @Test("hostile senders, subjects, rules, labels and warnings send no control characters")
    func hostile() {
        let evil = "x\u{1B}[2J\u{9B}H\u{202E}\n\u{2028}\u{7}y"
        var task = TodoDraft(summary: evil, list: GTDList(evil))
        task.contexts = [evil]
        let place = Mailbox(account: Self.account, name: MailboxName(evil), displayName: evil)
        var hostile = item("a", .label(Keyword(evil)), .task(task), bob(.draft), .move(to: place))
        hostile.subject = evil
        hostile.from = EmailAddress(displayName: evil, localPart: evil, domain: evil)
        hostile.decisions = hostile.decisions.map { Plan.Decision(rule: evil, action: $0.action) }
        hostile.protectedBy = evil
        hostile.warnings = [evil]
        var kept = item("b", .keep)
        kept.decisions = [Plan.Decision(rule: evil, action: .keep)]
        let text = PlanText(
            plan: plan(hostile, kept), ids: [:],
            when: When(zone: ZoneClock(zone: "UTC"), now: Timestamp(seconds: 1_773_127_800)),
            style: Style(choice: .never, environment: [:], isTerminal: true), width: 80)
        for line in text.lines() {
            let controls = line.unicodeScalars.filter {
                $0.properties.generalCategory == .control || $0.properties.isBidiControl || $0.value == 0x2028
            }
            #expect(controls.isEmpty, Comment(rawValue: TerminalText.line(line)))
        }
    }
}
